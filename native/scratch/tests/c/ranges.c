/* Locks of descriptions, and copies within one file; prints what happened, to be compared with a plain directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self, *path;

static int lock(int fd) {
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
    return fcntl(fd, F_OFD_SETLK, &l) ? errno : 0;
}

/* Whether another program gets the lock. */
static void other(const char *when) {
    fflush(stdout);
    if (fork() == 0) { execl(self, self, path, "other", (char *)0); _exit(9); }
    int status;
    wait(&status);
    printf("%s: %d\n", when, WEXITSTATUS(status));
}

static void copy(int fd, long from, long to, size_t n) {
    off_t in = from, out = to;
    errno = 0;
    long moved = copy_file_range(fd, &in, fd, &out, n, 0);
    printf("%ld to %ld: %ld %d\n", from, to, moved, errno);
}

int main(int argc, char **argv) {
    self = argv[0], path = argv[1];
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (argc > 2) return lock(fd);
    printf("lock: %d\n", lock(fd));
    other("held");
    int twin = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    close(fd);
    other("one closed");
    int second = open(path, O_RDWR | O_CLOEXEC);
    close(open(path, O_RDWR | O_CLOEXEC));
    other("another open of it closed");
    close(second);
    other("two opens of it closed");
    dup2(1, twin);
    other("both closed, one by dup2");
    close(twin);
    fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    if (write(fd, "0123456789", 10) != 10) return 1;
    copy(fd, 0, 5, 5);
    copy(fd, 0, 3, 5);
    copy(fd, 3, 0, 5);
    copy(fd, 8, 10, 5);
    char text[30] = "";
    long n = pread(fd, text, sizeof text - 1, 0);
    printf("%ld %s\n", n, text);
    return 0;
}
