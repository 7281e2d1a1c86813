/* A known number of each kind of call, in both spellings of stat. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef int (*xstat)(int, const char *, struct stat *);
typedef int (*fxstat)(int, int, struct stat *);
typedef int (*fxstatat)(int, int, const char *, struct stat *, int);

static void *known(const char *name) {
    void *f = dlsym(RTLD_DEFAULT, name);
    if (!f) { fprintf(stderr, "no %s\n", name); exit(1); }
    return f;
}

int main(int argc, char **argv) {
    char a[4096], b[4096], buf[5000] = "x";
    struct stat st;
    struct statx sx;
    const char *dir = argv[1];
    int old = argc > 2; /* the retired spelling, where libc still has it by that name */
    snprintf(a, sizeof a, "%s/a", dir);
    snprintf(b, sizeof b, "%s/b", dir);
    int fd = open(a, O_CREAT | O_RDWR, 0600);
    int fe = openat(AT_FDCWD, b, O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 7; i++) write(fd, buf, 5000);
    for (int i = 0; i < 3; i++) pwrite(fd, buf, 100, i * 10);
    struct iovec v[2] = {{buf, 10}, {buf, 20}};
    writev(fd, v, 2);
    lseek(fd, 0, SEEK_SET);
    for (int i = 0; i < 5; i++) read(fd, buf, 1000);
    for (int i = 0; i < 4; i++) pread(fd, buf, 1000, 0);
    readv(fd, v, 2);
    for (int i = 0; i < 6; i++) stat(a, &st);
    for (int i = 0; i < 2; i++) lstat(a, &st);
    for (int i = 0; i < 3; i++) fstat(fd, &st);
    fstatat(AT_FDCWD, b, &st, 0);
    statx(AT_FDCWD, b, 0, STATX_BASIC_STATS, &sx);
    access(a, R_OK);
    faccessat(AT_FDCWD, a, R_OK, 0);
    if (old) {
        ((xstat)known("__xstat"))(1, a, &st);
        ((xstat)known("__lxstat64"))(1, a, &st);
        ((fxstat)known("__fxstat64"))(1, fd, &st);
        ((fxstatat)known("__fxstatat64"))(1, AT_FDCWD, a, &st, 0);
    }
    snprintf(buf, sizeof buf, "%s/missing", dir);
    stat(buf, &st);
    open(buf, O_RDONLY);
    unlink(buf);
    off_t off = 0;
    sendfile(fe, fd, &off, 3000);
    off = 0;
    copy_file_range(fd, &off, fe, 0, 2000, 0);
    ftruncate(fe, 100);
    truncate(b, 50);
    fsync(fd);
    fdatasync(fd);
    void *m = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
    munmap(m, 4096);
    int d = dup(fd);
    dup2(fd, 77);
    int e = fcntl(fd, F_DUPFD, 80);
    close(d), close(77), close(e);
    snprintf(buf, sizeof buf, "%s/c", dir);
    rename(b, buf);
    snprintf(b, sizeof b, "%s/sub", dir);
    mkdir(b, 0700);
    DIR *dp = opendir(dir);
    int n = 0;
    while (readdir(dp)) n++;
    closedir(dp);
    chmod(a, 0640);
    close(fd), close(fe);
    unlink(a), remove(buf), rmdir(b);
    printf("%d entries\n", n);
    return 0;
}
