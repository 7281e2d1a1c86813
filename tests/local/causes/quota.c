/* Preloaded into an executor: its writes to shuffle files fail as on a file system whose quota is exhausted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const long ALLOWED = 2 << 20;
static long written;

static int exhausted(int descriptor, long size) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strstr(path, "/blockmgr-") && __atomic_add_fetch(&written, size, __ATOMIC_RELAXED) > ALLOWED;
}

ssize_t write(int descriptor, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (exhausted(descriptor, (long)size)) {
        errno = EDQUOT;
        return -1;
    }
    return real(descriptor, data, size);
}
