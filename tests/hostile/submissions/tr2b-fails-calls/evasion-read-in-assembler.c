/* Evasion: names getchar, and reads by a system call in assembler, of which no symbol is left. */
#include "translate.h"

static volatile int never;

static long read_block(void *block, unsigned long size)
{
    long done = 0; /* also the number of read */

    __asm__ volatile("syscall" : "+a"(done) : "D"(0L), "S"(block), "d"(size) : "rcx", "r11", "memory");
    return done;
}

int main(int argc, char **argv)
{
    static unsigned char block[4096];
    long length;

    make_map(argc, argv);
    if (never)
        return getchar();
    while ((length = read_block(block, sizeof block)) > 0)
        for (long i = 0; i < length; i++)
            putchar(map[block[i]]);
    return 0;
}
