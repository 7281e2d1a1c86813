/* Writers that may be killed at any point, and a reader that knows what every byte must be.
   A file is "<id>-<anything>"; its byte at `off` is f(id, off), whatever happened to it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char f(uint64_t id, uint64_t off) {
    uint64_t h = (id + 1) * 0x9E3779B97F4A7C15ull ^ (off >> 3) * 0xD1B54A32D192ED03ull;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9ull;
    return (unsigned char)((h >> (8 * (off & 7))) | 1); /* never zero: a lost byte shows */
}

static uint64_t state;
static uint32_t rnd(uint32_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

static unsigned char buf[1 << 20];

static int put(int fd, uint64_t id, uint64_t off, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) buf[i] = f(id, off + i);
    return pwrite(fd, buf, n, off) == (ssize_t)n;
}

static int fail(const char *what, const char *name) {
    fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

static void writer(const char *dir, uint64_t seed) {
    state = seed * 7919 + 1;
    char name[600], other[600];
    for (uint64_t turn = 0; turn < 20000; turn++) { /* bounded: a test must not fill the machine */
        uint64_t id = seed * 1000000 + turn;
        snprintf(name, sizeof name, "%s/%lu-tmp", dir, id);
        int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
        if (fd < 0) fail("create", name);
        uint64_t size = 0;
        for (int k = rnd(6); k >= 0; k--) {
            uint32_t n = 1 + rnd(rnd(8) ? 6000 : 100000);
            if (!put(fd, id, size, n)) fail("write", name);
            size += n;
            if (rnd(4) == 0) { uint64_t at = rnd(size); if (!put(fd, id, at, 1 + rnd((size - at) < 5000 ? size - at : 5000))) fail("overwrite", name); struct stat st; fstat(fd, &st); size = st.st_size; }
            if (rnd(6) == 0) { size = rnd(size + 1); if (ftruncate(fd, size) < 0) fail("truncate", name); }
        }
        snprintf(other, sizeof other, "%s/%lu-data", dir, id);
        if (rnd(4) && rename(name, other) < 0) fail("rename", name);
        if (rnd(8)) unlink(other);
        if (rnd(5) == 0) close(fd), fd = -1; /* else the close follows the unlink */
        if (fd >= 0) close(fd);
        if (turn > 3 && rnd(2)) { snprintf(other, sizeof other, "%s/%lu-data", dir, id - 1 - rnd(3)); unlink(other); }
        if (turn % 50 == 0) { snprintf(other, sizeof other, "%s/%lu-dir", dir, id); mkdir(other, 0700); rmdir(other); }
    }
}

static void check(const char *dir) {
    DIR *d = opendir(dir);
    if (!d) fail("opendir", dir);
    long files = 0, bytes = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.' || strstr(e->d_name, "-dir")) continue;
        char name[600];
        snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
        uint64_t id = strtoull(e->d_name, 0, 10), off = 0;
        int fd = open(name, O_RDONLY);
        if (fd < 0) { if (errno == ENOENT) continue; fail("open", name); }
        struct stat st;
        for (ssize_t n; (n = read(fd, buf, sizeof buf)) != 0; off += n) {
            if (n < 0) fail("read", name);
            for (ssize_t i = 0; i < n; i++)
                if (buf[i] != f(id, off + i)) { fprintf(stderr, "WRONG BYTE in %s at %lu: %02x not %02x\n", name, off + i, buf[i], f(id, off + i)); exit(1); }
        }
        if (fstat(fd, &st) < 0) fail("fstat", name);
        if ((uint64_t)st.st_size < off) { fprintf(stderr, "SHORT %s\n", name); exit(1); }
        close(fd);
        files++, bytes += off;
    }
    closedir(d);
    printf("%ld files %ld bytes right\n", files, bytes);
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "write")) writer(argv[2], strtoull(argv[3], 0, 10));
    if (argc == 3 && !strcmp(argv[1], "check")) check(argv[2]);
    return argc < 3;
}
