/* Linked statically, so that no library can be preloaded: creates a file, and reports how that ended. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int fd = open(argv[1], O_CREAT | O_WRONLY, 0600);
    printf("%d\n", fd < 0 ? errno : 0);
    return 0;
}
