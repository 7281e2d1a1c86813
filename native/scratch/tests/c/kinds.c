/* Threads of several names, each of which opens a file a known number of times. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void open_times(int times) {
    while (times-- > 0) close(open("/etc/passwd", O_RDONLY));
}

static void name(const char *text) { pthread_setname_np(pthread_self(), text); }

static void *task(void *unused) {
    name("Executor task l");
    open_times(30);
    name("idle worker"); /* as a pool does between two tasks */
    open_times(4);
    name("Executor task l");
    open_times(20);
    return NULL;
}

static void *server(void *unused) {
    name("rpc-server-4-1");
    open_times(7);
    return NULL;
}

/* Renamed past the C library: seen within 256 calls. */
static void *unseen(void *unused) {
    open_times(1);
    prctl(PR_SET_NAME, "rpc-late");
    open_times(1000);
    return NULL;
}

int main(void) {
    void *(*bodies[])(void *) = {task, server, unseen};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, bodies[i], NULL);
        pthread_join(thread, NULL);
    }
    open_times(3);
    return 0;
}
