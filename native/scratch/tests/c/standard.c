/* Files that become standard streams, which libc reads and writes past all hooks; prints what happened. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;

static int by_dup(int fd, int onto) { close(onto); return dup(fd); }
static int by_fcntl(int fd, int onto) { close(onto); return fcntl(fd, F_DUPFD, onto); }
static int by_dup2(int fd, int onto) { return dup2(fd, onto); }

/* Reads a line of the file as standard input, in a process of its own. */
static void input(const char *name, int (*put)(int, int)) {
    fflush(stdout);
    if (fork() == 0) {
        char line[100] = "nothing";
        int fd = open(path, O_RDONLY);
        lseek(fd, 4, SEEK_SET);
        int got = put(fd, 0);
        if (!fgets(line, sizeof line, stdin)) strcpy(line, "no line\n");
        printf("%s %d: %s", name, got, line);
        /* the stream has read ahead: the position is that of both */
        printf("at %ld and %ld\n", (long)lseek(0, 0, SEEK_CUR), (long)lseek(fd, 0, SEEK_CUR));
        exit(0);
    }
    wait(0);
}

static void output(const char *file) {
    fflush(stdout);
    if (fork() == 0) {
        int fd = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        close(1);
        if (dup(fd) != 1) _exit(1);
        printf("printed\n");
        exit(0);
    }
    wait(0);
    char text[20] = "";
    int fd = open(file, O_RDONLY);
    long n = read(fd, text, sizeof text - 1);
    close(fd);
    printf("written %ld: %s", n, text);
}

int main(int argc, char **argv) {
    path = argv[1];
    if (argc > 2) {
        int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (write(fd, "one two\nthree\n", 14) != 14) return 1;
        close(fd);
        output(argv[2]);
    }
    input("dup", by_dup);
    input("fcntl", by_fcntl);
    input("dup2", by_dup2);
    return 0;
}
