/* Many threads of one process on files of their own, so that descriptor numbers change hands all the time. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) { printf("thread %ld turn %d line %d: %s (errno %d)\n", me, turn, __LINE__, #x, errno); exit(1); } } while (0)

static const char *dir;
static int turns;

static unsigned char f(long me, int turn, long off) { return (unsigned char)(me * 37 + turn * 11 + off * 7 + (off >> 8)) | 1; }

static void *work(void *arg) {
    long me = (long)arg;
    unsigned seed = me + 1;
    unsigned char *buf = malloc(400000), *back = malloc(400000);
    char a[4096], b[4096];
    for (int turn = 0; turn < turns; turn++) {
        snprintf(a, sizeof a, "%s/t%ld-%d", dir, me, turn);
        snprintf(b, sizeof b, "%s/u%ld-%d", dir, me, turn % 3);
        long n = 1 + rand_r(&seed) % (turn % 10 ? 9000 : 400000);
        for (long i = 0; i < n; i++) buf[i] = f(me, turn, i);
        int fd = open(a, O_CREAT | O_EXCL | O_RDWR, 0600);
        CHECK(fd >= 0);
        for (long at = 0; at < n;) {
            long k = 1 + rand_r(&seed) % 70000;
            if (k > n - at) k = n - at;
            CHECK(write(fd, buf + at, k) == k);
            at += k;
        }
        CHECK(pread(fd, back, n, 0) == n && !memcmp(buf, back, n));
        struct stat st;
        CHECK(fstat(fd, &st) == 0 && st.st_size == n);
        CHECK(close(fd) == 0);
        /* A socket may get the number just freed: it must be a socket, and nothing else. */
        int s[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
        CHECK(write(s[0], "hello", 5) == 5 && read(s[1], back, 5) == 5 && !memcmp(back, "hello", 5));
        close(s[0]), close(s[1]);
        CHECK(rename(a, b) == 0);
        fd = open(b, O_RDONLY);
        CHECK(fd >= 0 && read(fd, back, n + 1) == n && !memcmp(buf, back, n));
        if (turn % 3 == 0) {
            unsigned char *m = mmap(0, n, PROT_READ, MAP_SHARED, fd, 0);
            CHECK(m != MAP_FAILED);
            close(fd);
            CHECK(unlink(b) == 0 && !memcmp(m, buf, n));
            munmap(m, n);
        } else {
            close(fd);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    dir = argv[1];
    turns = atoi(argv[2]);
    pthread_t t[8];
    for (long i = 0; i < 8; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
    printf("OK\n");
    return 0;
}
