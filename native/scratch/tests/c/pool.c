/* Reads the same input again and again, in every way the pool must get right. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 50000
#define CHECK(x) do { if (!(x)) { printf("line %d: %s\n", __LINE__, #x); exit(1); } } while (0)

static const char *path;

static void *reader(void *seed) {
    unsigned s = (unsigned)(long)seed;
    for (int i = 0; i < 2000; i++) {
        int fd = open(path, O_RDONLY);
        CHECK(fd >= 0);
        struct stat st;
        CHECK(fstat(fd, &st) == 0 && st.st_size == SIZE);
        off_t at = rand_r(&s) % SIZE;
        char a[2];
        CHECK(lseek(fd, at, SEEK_SET) == at && read(fd, a, 1) == 1 && a[0] == '0' + at % 10);
        CHECK(lseek(fd, 0, SEEK_CUR) == at + 1);
        CHECK(close(fd) == 0);
    }
    return 0;
}

static int shared;

/* Reads what is left of the file; the position is that of all threads. */
static void *taker(void *unused) {
    char some[10];
    long n = 0, k;
    while ((k = read(shared, some, sizeof some)) > 0) n += k;
    return (void *)n;
}

int main(int argc, char **argv) {
    path = argv[1];
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, reader, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    shared = open(path, O_RDONLY);
    for (int turn = 0; turn < 5; turn++) {
        long all = 0;
        void *n;
        CHECK(lseek(shared, 0, SEEK_SET) == 0);
        for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, taker, 0);
        for (int i = 0; i < 4; i++) pthread_join(t[i], &n), all += (long)n;
        CHECK(all == SIZE); /* no byte was read twice */
    }
    close(shared);
    int a = open(path, O_RDONLY), b = open(path, O_RDONLY);
    char x[10];
    CHECK(read(a, x, 3) == 3 && read(b, x, 1) == 1 && x[0] == '0');
    CHECK(lseek(a, 0, SEEK_CUR) == 3 && lseek(b, 0, SEEK_CUR) == 1);
    int c = dup(a);
    CHECK(read(c, x, 1) == 1 && x[0] == '3' && lseek(a, 0, SEEK_CUR) == 4);
    if (fork() == 0) { CHECK(read(a, x, 2) == 2 && x[1] == '5'); _exit(0); }
    int status;
    wait(&status);
    CHECK(status == 0 && lseek(a, 0, SEEK_CUR) == 6);
    char *m = mmap(0, SIZE, PROT_READ, MAP_SHARED, a, 0);
    CHECK(m != MAP_FAILED && m[12345] == '5');
    munmap(m, SIZE);
    int p[2];
    CHECK(pipe(p) == 0);
    off_t off = 7;
    CHECK(sendfile(p[1], b, &off, 5) == 5 && off == 12 && read(p[0], x, 5) == 5 && !memcmp(x, "78901", 5));
    CHECK(write(a, "x", 1) < 0);
    CHECK((fcntl(a, F_GETFL) & O_ACCMODE) == O_RDONLY);
    close(a), close(b), close(c);
    int w = open(path, O_WRONLY);
    CHECK(w >= 0 && pwrite(w, "W", 1, 0) == 1);
    close(w);
    a = open(path, O_RDONLY);
    CHECK(read(a, x, 1) == 1 && x[0] == 'W');
    close(a);
    w = open(path, O_WRONLY);
    CHECK(pwrite(w, "0", 1, 0) == 1);
    close(w);
    printf("OK\n");
    return 0;
}
