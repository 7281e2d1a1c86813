/* A task receives what a server sends over a connection, with each call that can do it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int listening;
static struct sockaddr_in address = {.sin_family = AF_INET};

static void *server(void *unused) {
    char bytes[100] = {0};
    pthread_setname_np(pthread_self(), "rpc-server-4-1");
    int fd = accept(listening, NULL, NULL);
    usleep(20000); /* so that the task has to wait */
    send(fd, bytes, 60, 0);
    write(fd, bytes, 40);
    read(fd, bytes, 1); /* the task has received everything */
    close(fd);
    return NULL;
}

static void *task(void *unused) {
    char bytes[100];
    pthread_setname_np(pthread_self(), "Executor task l");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&address, sizeof address);
    struct pollfd one = {.fd = fd, .events = POLLIN};
    poll(&one, 1, -1);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    epoll_wait(epoll, &event, 1, -1);
    recv(fd, bytes, 30, MSG_WAITALL);
    struct iovec piece = {bytes, 20};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    recvmsg(fd, &message, MSG_WAITALL);
    for (int left = 50; left > 0;) left -= read(fd, bytes, left);
    write(fd, bytes, 1);
    close(fd);
    close(epoll);
    return NULL;
}

int main(void) {
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM, 0);
    bind(listening, (struct sockaddr *)&address, length);
    listen(listening, 1);
    getsockname(listening, (struct sockaddr *)&address, &length);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, server, NULL);
    pthread_create(&threads[1], NULL, task, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    int pair[2];
    char byte = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair); /* within the machine */
    write(pair[0], &byte, 1);
    read(pair[1], &byte, 1);
    return 0;
}
