#include "counter.h"

int main()
{
    return 0; /* TODO: count each file, and print the counts and their total. */
}
