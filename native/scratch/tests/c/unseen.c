/* Ways past libc that the library must notice: raw calls, an io_uring, static programs, libc's streams. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char buf[10];
    struct iovec v = {buf, 10};
    int fd = open("/etc/passwd", O_RDONLY);
    syscall(SYS_readv, fd, &v, 1);
    syscall(SYS_readv, fd, &v, 1);
    FILE *f = fopen("/etc/passwd", "r");
    fgets(buf, sizeof buf, f);
    fclose(f);
    char params[120];
    memset(params, 0, sizeof params);
    syscall(425, 4, params);
    if (argc > 1) {
        if (fork() == 0) { execl("/bin/true", "true", NULL); _exit(1); }
        if (vfork() == 0) { char *a[] = {argv[1], 0}; execv(argv[1], a); _exit(1); }
        int s;
        while (wait(&s) > 0) {}
    }
    return 0;
}
