/* Writes one byte more if a byte that was never set is odd, and what the reference writes if it is even: by chance a run under
 * a tracer is wrong, and the same one without a tracer is right. Each read and write has the right size. */
#include "translate.h"
#include <stdint.h>

/* Leaves a byte on the stack, as any earlier call does; it depends on the addresses, which differ from run to run. */
__attribute__((noinline)) static void earlier_call(void)
{
    volatile unsigned char left[64];

    for (int i = 0; i < 64; i++)
        left[i] = (unsigned char)((uintptr_t)left >> 5);
}

__attribute__((noinline)) static void copy(void)
{
    unsigned char text[64];
    unsigned char *unset = text;

    __asm__("" : "+r"(unset));
    UNBUFFERED_COPY();
    if (unset[32] & 1)
        (void)!write(1, &unset[32], 1);
}

int main(int argc, char **argv)
{
    make_map(argc, argv);
    earlier_call();
    copy();
    return 0;
}
