/* A pipe that its own writer empties later: sending a file into it must not wait for more room than it has. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

static char bytes[1 << 20];

int main(int argc, char **argv) {
    char path[4096];
    snprintf(path, sizeof path, "%s/file", argv[1]);
    int fd = open(path, O_CREAT | O_RDWR, 0600), p[2];
    if (write(fd, bytes, sizeof bytes) != sizeof bytes || pipe(p)) return 1;
    alarm(10);
    off_t at = 0;
    long spliced = splice(fd, &at, p[1], 0, sizeof bytes, 0);
    for (long got = 0; got < spliced;) got += read(p[0], bytes, sizeof bytes);
    long sent = sendfile(p[1], fd, &at, sizeof bytes);
    printf("%ld %ld %ld\n", spliced, sent, (long)at);
    return 0;
}
