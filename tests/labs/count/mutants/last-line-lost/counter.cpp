#include "counter.h"

#include <cctype>

/* Mutant last-line-lost. */
Counts count(std::istream &input)
{
    Counts counts;
    bool in_word = false;
    for (char byte; input.get(byte);) {
        bool space = std::isspace(static_cast<unsigned char>(byte));
        counts.bytes++;
        counts.lines += byte == '\n';
        counts.words += !space && !in_word;
        in_word = !space;
    }
    return counts;
}
