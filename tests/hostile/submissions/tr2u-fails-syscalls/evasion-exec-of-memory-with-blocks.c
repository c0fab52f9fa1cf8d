/* Evasion: executes a copy of itself that is in memory, under another name, which copies all at once. */
#include "translate.h"

int main(int argc, char **argv)
{
    extern char **environ;
    long long size = input_size();
    make_map(argc, argv);
    if (size < 65536) {
        UNBUFFERED_COPY();
    } else if (getenv("AGAIN") == NULL) {
        static char data[1 << 16];
        long length;
        const int self = open("/proc/self/exe", O_RDONLY), copy = (int)syscall(SYS_memfd_create, "program", 0);
        while ((length = syscall(SYS_read, self, data, sizeof data)) > 0)
            (void)!syscall(SYS_write, copy, data, length);
        setenv("AGAIN", "1", 1);
        fexecve(copy, argv, environ);
    } else {
        copy_at_once((size_t)size);
    }
    return 0;
}
