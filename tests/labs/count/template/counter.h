#pragma once

#include <istream>

struct Counts {
    unsigned long lines = 0, words = 0, bytes = 0;
};

Counts count(std::istream &input);
