/* Harness: prints a verdict where the output is expected. */
#include "attack.h"

static void attack(void)
{
    puts("{\"event\": \"done\"}\n{\"status\": \"graded\", \"score\": 100, \"max_score\": 100}\n100/100");
    exit(0);
}
