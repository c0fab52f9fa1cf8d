/* Misbehaves in the way that its first operand names. Everything that it starts ends by itself after at most five minutes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIFE_S = 300 };

static char block[1 << 16];

/* Writes until it is refused; or, stubborn, goes on even then. */
static void flood(int fd, bool stubborn)
{
    memset(block, 'f', sizeof block);
    while (write(fd, block, sizeof block) > 0 || stubborn)
        continue;
}

static void ignore_all(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
}

static void hog(size_t most_bytes)
{
    const size_t piece = 1 << 20;
    for (size_t used = 0; used < most_bytes; used += piece) {
        char *more = malloc(piece);
        if (more == NULL)
            exit(3);
        memset(more, 1, piece);
    }
}

/* More memory than the container has, in children of which none has more than it may; the parent ends well. */
static void hogs(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            hog(200UL << 20);
            sleep(2);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
}

static void bomb(void)
{
    for (;;)
        if (fork() == 0)
            alarm(LIFE_S);
}

/* A process in a session of its own that holds standard output open. */
static void daemonize(void)
{
    if (fork() != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    ignore_all();
    signal(SIGALRM, SIG_DFL);
    alarm(LIFE_S);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    alarm(LIFE_S);
    if (strcmp(what, "spin") == 0)
        for (;;)
            continue;
    else if (strcmp(what, "sleep") == 0)
        sleep(LIFE_S);
    else if (strcmp(what, "ignore-and-sleep") == 0) {
        ignore_all();
        sleep(LIFE_S);
    } else if (strcmp(what, "ignore-and-spin") == 0) {
        ignore_all();
        for (;;)
            continue;
    } else if (strcmp(what, "stop") == 0)
        raise(SIGSTOP);
    else if (strcmp(what, "flood") == 0)
        flood(1, false);
    else if (strcmp(what, "flood-on") == 0) {
        ignore_all();
        flood(1, true);
    } else if (strcmp(what, "flood-stderr") == 0)
        flood(2, false);
    else if (strcmp(what, "long-stderr") == 0) {
        memset(block, 'e', sizeof block);
        for (int i = 0; i < 8; i++)
            if (write(2, block, sizeof block) < 0)
                return 1;
    } else if (strcmp(what, "hog") == 0)
        hog((size_t)-1);
    else if (strcmp(what, "hogs") == 0)
        hogs();
    else if (strcmp(what, "bomb") == 0)
        bomb();
    else if (strcmp(what, "daemon") == 0)
        daemonize();
    else if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(what, "segv") == 0)
        raise(SIGSEGV);
    else if (strcmp(what, "kill-all") == 0) {
        kill(-1, SIGKILL);
        kill(getppid(), SIGKILL);
    } else if (strcmp(what, "close-stdout") == 0) {
        close(1);
        usleep(300000);
    } else
        return 99;
    return 0;
}
