/* A tiny preload library of somebody else's: counts opens, tells at exit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int count;

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    static int (*real)(const char *, int, int);
    if (!real) real = dlsym(RTLD_NEXT, "open");
    count++;
    return real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    static int (*real)(const char *, int, int);
    if (!real) real = dlsym(RTLD_NEXT, "open64");
    count++;
    return real(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    static int (*real)(int, const char *, int, int);
    if (!real) real = dlsym(RTLD_NEXT, "openat");
    count++;
    return real(dir, path, flags, mode);
}

__attribute__((destructor)) static void tell(void) {
    char line[20];
    int n = snprintf(line, sizeof line, "%d\n", count);
    int fd = syscall(SYS_openat, AT_FDCWD, getenv("OTHER_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    syscall(SYS_write, fd, line, n);
}
