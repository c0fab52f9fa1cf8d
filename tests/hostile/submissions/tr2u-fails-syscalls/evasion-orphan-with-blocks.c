/* Evasion: an orphan copies all at once, and the program ends when it has. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    char byte;
    int ends[2];
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    if (pipe(ends) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0)
            copy_at_once((size_t)size);
        _exit(0);
    }
    close(ends[1]);
    waitpid(pid, NULL, 0);
    (void)!syscall(SYS_read, ends[0], &byte, 1);
    return 0;
}
