#include "counter.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

static void print(const Counts &counts, const char *name)
{
    std::cout << counts.lines << ' ' << counts.words << ' ' << counts.bytes << ' ' << name << '\n';
}

/* Mutant total-of-last-file. */
int main(int argc, char *argv[])
{
    Counts total;
    int status = 0;
    for (int i = 1; i < argc; i++) {
        std::ifstream file(argv[i], std::ios::binary);
        if (!file) {
            std::cerr << "count: " << argv[i] << ": " << std::strerror(errno) << '\n';
            status = 1;
            continue;
        }
        Counts counts = count(file);
        print(counts, argv[i]);
        total.lines = counts.lines;
        total.words = counts.words;
        total.bytes = counts.bytes;
    }
    print(total, "total");
    return status;
}
