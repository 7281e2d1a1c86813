/* A handler of pthread_atfork(3) forks as well, and waits for its child: prints what each process reads of one open file. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd, first, calls;

static char next(void) {
    char c = '?';
    return read(fd, &c, 1) == 1 ? c : '?';
}

/* What a child reads, which then closes the file. */
static int by_child(void) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        char c = next();
        close(fd);
        _exit(c);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : '!';
}

static void prepare(void) {
    if (calls++ == 0) first = by_child();
}

int main(int argc, char **argv) {
    fd = open(argv[1], O_RDONLY);
    pthread_atfork(prepare, 0, 0);
    int second = by_child();
    int other = open(argv[1], O_RDONLY); /* waits if the fork kept what it held */
    if (fd < 0 || other < 0 || close(other)) return perror("open"), 1;
    printf("%c%c%c\n", first, second, next());
    return 0;
}
