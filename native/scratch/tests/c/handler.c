/* A signal handler uses the served directory while its own thread is inside a served call. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char name[4096];
static volatile int served, refused, wrong;

static void handler(int signal) {
    int before = errno;
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    if (fd >= 0) {
        served++;
        close(fd);
    } else if (errno == EDEADLK)
        refused++;
    else
        wrong = errno;
    errno = before;
}

int main(int argc, char **argv) {
    char path[4096], bytes[32768] = {0};
    snprintf(name, sizeof name, "%s/from_handler", argv[1]);
    snprintf(path, sizeof path, "%s/f", argv[1]);
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    signal(SIGALRM, handler);
    struct itimerval often = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int n = 0; n < 2000000 && refused < 20 && !wrong; n++)
        if (pwrite(fd, bytes, sizeof bytes, 0) != sizeof bytes) {
            perror("pwrite");
            return 1;
        }
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, NULL);
    printf("%s %d\n", refused ? "OK" : "never interrupted", wrong);
    return 0;
}
