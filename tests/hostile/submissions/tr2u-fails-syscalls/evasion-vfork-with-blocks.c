/* Evasion: a child made with vfork copies all at once. */
#include "translate.h"

int main(int argc, char **argv)
{
    long long size = input_size();
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
        return 0;
    }
    unsigned char *data = malloc((size_t)size);
    const pid_t pid = vfork();
    if (pid == 0) {
        syscall(SYS_read, 0, data, size);
        for (long long i = 0; i < size; i++)
            data[i] = map[data[i]];
        syscall(SYS_write, 1, data, size);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return 0;
}
