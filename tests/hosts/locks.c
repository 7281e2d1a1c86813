/* A library to preload: files cannot be locked, as on a Lustre that is mounted without flock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

static int asked(const char *name, int file, int command, void *argument)
{
    int (*real)(int, int, void *);

    if (command == F_SETLK || command == F_SETLKW) {
        errno = ENOSYS;
        return -1;
    }
    *(void **)&real = dlsym(RTLD_NEXT, name);
    return real(file, command, argument);
}

#define FCNTL(name)                                                                                                    \
    int name(int file, int command, ...)                                                                               \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, command);                                                                                       \
        void *argument = va_arg(rest, void *);                                                                         \
        va_end(rest);                                                                                                  \
        return asked(#name, file, command, argument);                                                                  \
    }

FCNTL(fcntl)
FCNTL(fcntl64)
