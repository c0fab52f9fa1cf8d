/* Compile: warnings with markup and orders for a terminal in their text, and then a right program. */
#include "attack.h"

#define W1 1; 1; 1; 1; 1; 1; 1; 1; 1; 1;
#define W2 W1 W1 W1 W1 W1 W1 W1 W1 W1 W1

#warning "<script>alert(1)</script> ]]> {{ 7*7 }} =1+1"
__attribute__((warning("\033[2J\033]0;owned\007"))) int warned(void);

static void attack(void)
{
    W2
}
