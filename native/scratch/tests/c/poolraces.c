/* Threads open and close pooled files while another one forks children that close all they have: each reads its own position. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 50000
#define THREADS 4

static const char *path;
static volatile int over;

static void *reader(void *seed) {
    unsigned s = (unsigned)(long)seed;
    while (!over) {
        int fds[8];
        off_t at[8];
        char c;
        for (int i = 0; i < 8; i++) {
            fds[i] = open(path, O_RDONLY);
            at[i] = rand_r(&s) % SIZE;
            if (fds[i] < 0 || lseek(fds[i], at[i], SEEK_SET) != at[i]) return "cannot open";
        }
        for (int i = 0; i < 8; i++) {
            if (lseek(fds[i], 0, SEEK_CUR) != at[i]) return "position of another";
            if (read(fds[i], &c, 1) != 1 || c != '0' + at[i] % 10) return "byte of another";
        }
        for (int i = 0; i < 8; i++) close(fds[i]);
    }
    return 0;
}

int main(int argc, char **argv) {
    path = argv[1];
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, reader, (void *)i);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (!child) {
            for (int fd = 3; fd < 100; fd++) close(fd);
            _exit(0);
        }
        waitpid(child, 0, 0);
    }
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        if (wrong) return printf("%s\n", (char *)wrong), 1;
    }
    printf("OK\n");
    return 0;
}
