#include "counter.h"

Counts count(std::istream &)
{
    return {}; /* TODO: count lines, words and bytes. */
}
