/* Writes one byte more if a byte that was never set is odd, and what the reference writes if it is even: by chance a run under
 * a tracer is wrong, and the same one without a tracer is right. Each read and write has the right size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Leaves a byte on the stack, as any earlier call does; it depends on the addresses, which differ from run to run. */
__attribute__((noinline)) static void earlier_call(void)
{
    volatile unsigned char left[64];

    for (int i = 0; i < 64; i++)
        left[i] = (unsigned char)((uintptr_t)left >> 5);
}

__attribute__((noinline)) static int copy(const unsigned char *map)
{
    unsigned char text[64];
    unsigned char *unset = text;
    int c;

    __asm__("" : "+r"(unset));
    while ((c = getchar()) != EOF)
        putchar(map[c]);
    if (unset[32] & 1)
        putchar(unset[32]);
    return 0;
}

int main(int argc, char *argv[])
{
    unsigned char map[256];

    if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
        return 1;
    for (int i = 0; i < 256; i++)
        map[i] = (unsigned char)i;
    for (size_t i = 0; argv[1][i]; i++)
        map[(unsigned char)argv[1][i]] = (unsigned char)argv[2][i];
    earlier_call();
    return copy(map);
}
