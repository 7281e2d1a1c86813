/* Descriptors across fork, vfork and exec; prints what happened, to be compared with a plain directory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[4096];

static void show(const char *what) {
    char buf[200] = "";
    int fd = open(file, O_RDONLY);
    long n = read(fd, buf, sizeof buf - 1);
    close(fd);
    printf("%s: %ld [%s]\n", what, n, buf);
    fflush(stdout);
}

static void done(const char *what) {
    int status = 0;
    wait(&status);
    printf("%s ended %d\n", what, status);
    show(what);
}

int main(int argc, char **argv) {
    char number[20];
    if (argc == 3 && !strcmp(argv[1], "again")) { /* after exec: the descriptor is still open */
        int fd = atoi(argv[2]);
        long n = write(fd, "exec ", 5);
        printf("again %ld at %ld\n", n, (long)lseek(fd, 0, SEEK_CUR));
        return 0;
    }
    snprintf(file, sizeof file, "%s/f", argv[1]);
    int fd = open(file, O_CREAT | O_RDWR | O_TRUNC, 0600);
    write(fd, "start ", 6);
    fflush(stdout);
    if (fork() == 0) { write(fd, "child ", 6); _exit(0); }
    done("fork");
    write(fd, "parent ", 7);
    show("parent");
    if (fork() == 0) { close(fd); fd = open(file, O_WRONLY | O_APPEND); write(fd, "append ", 7); _exit(0); }
    done("own open");
    lseek(fd, 0, SEEK_END);
    snprintf(number, sizeof number, "%d", fd);
    if (fork() == 0) { char *a[] = {argv[0], "again", number, 0}; execv(argv[0], a); _exit(9); }
    done("exec");
    printf("shared position %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    fflush(stdout);
    if (vfork() == 0) { dup2(fd, 1); char *a[] = {"echo", "vforked", 0}; execv("/bin/echo", a); _exit(9); }
    done("vfork");
    lseek(fd, 0, SEEK_END); /* the position is no longer shared once a child's stdout is the file */
    if (fork() == 0) { dup2(fd, 1); dup2(fd, 2); system("echo out; echo err >&2"); _exit(0); }
    done("system");
    lseek(fd, 0, SEEK_END);
    int d = dup(fd), e = dup2(fd, 200);
    write(d, "dup ", 4), write(e, "dup2 ", 5);
    close(d), close(fd), write(e, "left ", 5);
    show("dup");
    int plain = open(file, O_RDONLY);
    printf("a file is listed: %d\n", fdopendir(plain) ? 0 : errno);
    close(plain);
    unlink(file);
    if (fork() == 0) { lseek(e, 0, SEEK_SET); char b[6] = ""; read(e, b, 5); _exit(strcmp(b, "start") ? 1 : 0); }
    done("unlinked");
    close(e);
    printf("closed %d %d\n", write(e, "x", 1) < 0 ? errno : 0, open(file, O_RDONLY) < 0 ? errno : 0);
    return 0;
}
