/* A thread cancelled inside a call that a hook wraps: unwinding must pass through the hook. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int p[2];
static int cleaned;
static void clean(void *x) { cleaned = 1; }

static void *blocked(void *x) {
    char c;
    pthread_cleanup_push(clean, 0);
    read(p[0], &c, 1);
    pthread_cleanup_pop(0);
    return 0;
}

int main(void) {
    pthread_t t;
    void *r;
    pipe(p);
    pthread_create(&t, 0, blocked, 0);
    usleep(100000);
    pthread_cancel(t);
    pthread_join(t, &r);
    printf("%d %d\n", cleaned, r == PTHREAD_CANCELED);
    return 0;
}
