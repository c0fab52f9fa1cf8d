#include "counter.h"

#include <cctype>

/* A word ends at white space; a last line counts even if no newline ends it. */
Counts count(std::istream &input)
{
    Counts counts;
    bool in_word = false;
    char last = '\n';
    for (char byte; input.get(byte); last = byte) {
        bool space = std::isspace(static_cast<unsigned char>(byte));
        counts.bytes++;
        counts.lines += byte == '\n';
        counts.words += !space && !in_word;
        in_word = !space;
    }
    counts.lines += last != '\n';
    return counts;
}
