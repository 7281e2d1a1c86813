/* Random file calls from a seed; every result is printed, so two worlds can be compared line by line. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t state;
static FILE *out;
static const char *root;

static uint32_t rnd(uint32_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

static uint64_t sum(const unsigned char *p, long n) {
    uint64_t h = 1469598103934665603ull;
    for (long i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211ull;
    return h;
}

static void say(const char *what, long r) {
    fprintf(out, "%s %ld %d\n", what, r, r < 0 ? errno : 0);
}

#define FDS 8
static int fds[FDS];
static int dirs[2];
static unsigned char buf[300000];

static const char *names[] = {"a", "b", "c", "d/e", "d/f", "d", "d/g/h", "d/g", "k", "k/l", "nothing/x", "a/b", "./a", "d/../b", "d/", "a/"};

static const char *path(void) {
    static char text[4][4096];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn], "%s/%s", root, names[rnd(sizeof names / sizeof *names)]);
    return text[turn];
}

static const char *name(void) { return names[rnd(sizeof names / sizeof *names)]; }

static void put_stat(const char *what, int r, const struct stat *st) {
    if (r < 0) { say(what, r); return; }
    int dir = S_ISDIR(st->st_mode);
    fprintf(out, "%s ok %o %lu %ld\n", what, st->st_mode, (unsigned long)st->st_nlink, dir ? 0L : (long)st->st_size);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void list(DIR *d) {
    char *found[256];
    int n = 0;
    if (!d) { say("opendir", -1); return; }
    for (struct dirent *e; (e = readdir(d));) {
        char line[300];
        snprintf(line, sizeof line, "%s:%d", e->d_name, e->d_type);
        if (n < 256) found[n++] = strdup(line);
    }
    closedir(d);
    qsort(found, n, sizeof *found, by_name);
    fprintf(out, "list");
    for (int i = 0; i < n; i++) { fprintf(out, " %s", found[i]); free(found[i]); }
    fprintf(out, "\n");
}

static void fill(int n) {
    for (int i = 0; i < n; i++) buf[i] = (unsigned char)rnd(256);
}

static void map(int fd) {
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0) return;
    int shared = rnd(3) == 0;
    unsigned char *p = mmap(0, st.st_size, shared ? PROT_READ | PROT_WRITE : PROT_READ, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) { say("mmap", -1); return; }
    fprintf(out, "mmap %lx\n", sum(p, st.st_size));
    if (shared) p[rnd(st.st_size)] = (unsigned char)rnd(256);
    munmap(p, st.st_size);
}

static void child(int fd) {
    fflush(out);
    pid_t pid = fork();
    if (pid == 0) {
        char two[2];
        long r = read(fd, two, 2);
        if (write(fd, "zz", 2) < 0) r += 10;
        lseek(fd, 1, SEEK_CUR);
        _exit((int)(r & 15));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    fprintf(out, "child %d at %ld\n", status, (long)lseek(fd, 0, SEEK_CUR));
}

static void stream(const char *p) {
    FILE *f = fopen(p, rnd(2) ? "r+" : rnd(2) ? "a+" : "w+");
    if (!f) { say("fopen", -1); return; }
    char line[64] = "";
    if (fgets(line, sizeof line, f)) fprintf(out, "fgets %lx\n", sum((unsigned char *)line, strlen(line)));
    fseek(f, rnd(100), SEEK_SET);
    fprintf(f, "number %u\n", rnd(1000));
    say("ftell", ftell(f));
    fprintf(out, "fileno %d\n", fileno(f) >= 0);
    say("fclose", fclose(f));
}

static void step(void) {
    int i = rnd(FDS), fd = fds[i], j = rnd(FDS);
    static const int flags[] = {O_RDONLY, O_RDWR, O_WRONLY, O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_CREAT | O_TRUNC,
                                O_WRONLY | O_APPEND | O_CREAT, O_RDWR | O_TRUNC, O_RDONLY | O_DIRECTORY, O_RDWR | O_APPEND, O_RDONLY | O_CREAT};
    struct stat st;
    struct iovec iov[3];
    off_t off;
    int n = rnd(8) ? rnd(9000) : rnd(200000);
    switch (rnd(46)) {
    case 0: case 1: case 2: case 3: case 4:
        if (fd >= 0) say("close", close(fd));
        fds[i] = open(path(), flags[rnd(11)], 0644);
        fprintf(out, "open %d %d\n", fds[i] >= 0, fds[i] < 0 ? errno : 0);
        break;
    case 5: case 6: case 7: case 8: fill(n); say("write", write(fd, buf, n)); break;
    case 9: case 10: fill(n); say("pwrite", pwrite(fd, buf, n, rnd(300000))); break;
    case 11: case 12: case 13: { long r = read(fd, buf, n); say("read", r); if (r > 0) fprintf(out, "%lx\n", sum(buf, r)); break; }
    case 14: case 15: case 16: { long r = pread(fd, buf, n, rnd(300000)); say("pread", r); if (r > 0) fprintf(out, "%lx\n", sum(buf, r)); break; }
    case 17: fill(300); for (int k = 0; k < 3; k++) iov[k] = (struct iovec){buf + 100 * k, 10u + rnd(90)}; say("writev", writev(fd, iov, 3)); break;
    case 18: { memset(buf, 0, 300); for (int k = 0; k < 3; k++) iov[k] = (struct iovec){buf + 100 * k, 10u + rnd(90)}; long r = readv(fd, iov, 3); say("readv", r); if (r > 0) fprintf(out, "%lx\n", sum(buf, 300)); break; }
    case 19: case 20: { int w = rnd(4); say("lseek", lseek(fd, w == 1 ? (long)rnd(2000) - 1000 : (long)rnd(300000), w == 3 ? SEEK_SET : w)); break; }
    case 21: say("ftruncate", ftruncate(fd, rnd(4) ? rnd(10000) : rnd(400000))); break;
    case 22: say("truncate", truncate(path(), rnd(300000))); break;
    case 23: put_stat("fstat", fstat(fd, &st), &st); break;
    case 24: put_stat("stat", stat(path(), &st), &st); break;
    case 25: put_stat("lstat", lstat(path(), &st), &st); break;
    case 26: say("access", access(path(), rnd(8))); break;
    case 27: case 28: case 29: say("rename", rename(path(), path())); break;
    case 30: case 31: say("unlink", unlink(path())); break;
    case 32: say("rmdir", rmdir(path())); break;
    case 33: case 34: say("mkdir", mkdir(path(), 0755)); break;
    case 35: list(opendir(path())); break;
    case 36: if (fd >= 0 && fds[j] >= 0 && i != j) say("dup2", dup2(fd, fds[j]) >= 0 ? 0 : -1); else if (fds[j] < 0) { fds[j] = dup(fd); say("dup", fds[j] >= 0 ? 0 : -1); } break;
    case 37: say("getfl", fd < 0 ? 0 : fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND)); if (rnd(2) && fd >= 0) { int fl = fcntl(fd, F_GETFL); say("setfl", fcntl(fd, F_SETFL, rnd(2) ? fl | O_APPEND : fl & ~O_APPEND)); } break;
    case 38: if (fd >= 0) map(fd); break;
    case 39: if (fds[j] >= 0 && fd >= 0 && fd != fds[j]) { off = rnd(1000); struct stat a, b; int same = !fstat(fd, &a) && !fstat(fds[j], &b) && a.st_ino == b.st_ino; if (!same) { say("sendfile", sendfile(fds[j], fd, rnd(2) ? &off : 0, rnd(200000))); say("at", lseek(fds[j], 0, SEEK_CUR)); } } break;
    case 40: if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) child(fd); break;
    case 41: stream(path()); break;
    case 42: { char whole[4096]; char *r = realpath(path(), whole); fprintf(out, "realpath %s %d\n", r ? r + strlen(root) : "-", r ? 0 : errno); break; }
    case 43: say("chmod", chmod(path(), 0600 + rnd(8) * 8)); break;
    case 44: if (dirs[0] >= 0) { put_stat("fstatat", fstatat(dirs[0], name(), &st, 0), &st); int f = openat(dirs[0], name(), O_RDWR | O_CREAT, 0600); fprintf(out, "openat %d %d\n", f >= 0, f < 0 ? errno : 0); if (f >= 0) say("close", close(f)); say("unlinkat", unlinkat(dirs[0], name(), 0)); } break;
    case 45: if (fd >= 0) { off = rnd(100000); say("punch", fallocate(fd, rnd(2) ? 0 : FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off, 1 + rnd(50000))); } break;
    }
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    static char whole[4096];
    snprintf(whole, sizeof whole, "%s", argv[1]);
    root = whole;
    state = strtoull(argv[2], 0, 10) * 7919 + 17;
    long steps = atol(argv[3]);
    out = fopen(argv[4], "w");
    if (!out) return 3;
    if (mkdir(root, 0755) < 0) { perror(root); return 4; }
    for (int i = 0; i < FDS; i++) fds[i] = -1;
    dirs[0] = open(root, O_RDONLY | O_DIRECTORY);
    for (long n = 0; n < steps; n++) { fprintf(out, "%ld: ", n); step(); if (ferror(out)) return 5; fprintf(out, "\n"); }
    fclose(out);
    return 0;
}
