/* The operands are copied without their end into an array that was never set: what follows them there is another text in
 * each run, and so long are its outputs. Each read and write has the right size. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 512 };

static int get(void)
{
    unsigned char byte;

    return read(0, &byte, 1) == 1 ? byte : EOF;
}

static void put(int c)
{
    const unsigned char byte = (unsigned char)c;

    (void)!write(1, &byte, 1);
}

/* Leaves bytes on the stack, as any earlier call does: how many depends on the addresses, which differ from run to run. */
__attribute__((noinline)) static void earlier_call(void)
{
    volatile unsigned char left[SIZE];
    const uintptr_t length = 1 + ((uintptr_t)left >> 5) % 199;

    for (uintptr_t i = 0; i < SIZE; i++)
        left[i] = i < length ? 'z' : 0;
}

__attribute__((noinline)) static int copy(char *operand)
{
    char text[SIZE];
    char *unset = text;
    int c;

    __asm__("" : "+r"(unset));
    strncpy(unset, operand, strlen(operand));
    while ((c = get()) != EOF)
        put(c);
    for (size_t i = 0; i < strlen(unset); i++)
        put(unset[i]);
    return 0;
}

int main(int argc, char *argv[])
{
    if (argc != 3)
        return 1;
    earlier_call();
    return copy(argv[1]);
}
