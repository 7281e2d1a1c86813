/* A child that never closes what it inherited: its parent can open as many files as before. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 40000

static int fds[FILES];

int main(int argc, char **argv) {
    struct rlimit many = {FILES + 5000, FILES + 5000};
    if (setrlimit(RLIMIT_NOFILE, &many)) return printf("no limit\n"), 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < FILES; i++) {
            char c;
            fds[i] = open(argv[1], O_RDONLY);
            if (fds[i] < 0 || read(fds[i], &c, 1) != 1 || c != '0') return printf("turn %d, file %d\n", turn, i), perror("open"), 1;
        }
        pid_t child = fork();
        if (!child) _exit(0);
        waitpid(child, 0, 0);
        for (int i = 0; i < FILES; i++) close(fds[i]);
    }
    printf("OK\n");
    return 0;
}
