/* What a process changes itself, in each way to name a file, it sees at once: the pool no longer holds it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) { printf("line %d: %s\n", __LINE__, #x); exit(1); } } while (0)

static char file[4096], odd[4096], link_[4096];

/* The length of the file, which the pool then holds. */
static long held(void) {
    struct stat st;
    int fd = open(file, O_RDONLY);
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && close(fd) == 0);
    return st.st_size;
}

static void put(void) {
    int fd = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(write(fd, "0123456789", 10) == 10 && close(fd) == 0 && held() == 10);
}

int main(int argc, char **argv) {
    struct stat st;
    struct statfs fs;
    struct timespec times[2] = {{1, 0}, {2, 0}};
    int dir = open(argv[1], O_RDONLY | O_DIRECTORY);
    snprintf(file, sizeof file, "%s/f", argv[1]);
    snprintf(odd, sizeof odd, "%s/./f", argv[1]);
    snprintf(link_, sizeof link_, "%s/link", argv[1]);
    put();
    CHECK(truncate(file, 4) == 0 && held() == 4);
    int w = openat(dir, "f", O_WRONLY | O_APPEND);
    CHECK(write(w, "xy", 2) == 2 && close(w) == 0 && held() == 6);
    CHECK(close(open(odd, O_WRONLY | O_TRUNC)) == 0 && held() == 0);
    put();
    FILE *f = freopen(file, "w", fopen(file, "r"));
    CHECK(f && fputs("abc", f) > 0 && fclose(f) == 0 && held() == 3);
    put();
    int r = open(file, O_RDONLY);
    CHECK(truncate(file, 3) == 0 && fstat(r, &st) == 0 && st.st_size == 3 && lseek(r, 0, SEEK_END) == 3);
    close(r);
    put();
    r = open(file, O_RDONLY);
    CHECK(fstatfs(r, &fs) == 0 && fs.f_bsize > 0);
    CHECK(fchmod(r, 0640) == 0 && fstat(r, &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK(fchown(r, -1, -1) == 0 && futimens(r, times) == 0 && close(r) == 0);
    CHECK(stat(file, &st) == 0 && st.st_mtime == 2);
    CHECK(symlink("f", link_) == 0 && close(open(link_, O_RDONLY)) == 0);
    CHECK(lstat(link_, &st) == 0 && S_ISLNK(st.st_mode) && stat(link_, &st) == 0 && S_ISREG(st.st_mode));
    CHECK(held() == 10 && unlinkat(dir, "f", 0) == 0 && stat(file, &st) < 0 && open(file, O_RDONLY) < 0);
    printf("OK\n");
    return 0;
}
