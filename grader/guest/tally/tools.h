#ifndef TALLY_TOOLS_H
#define TALLY_TOOLS_H

#include "tally.h"

struct text {
    size_t used;
    char bytes[TEXT_BYTES];
};

long long now_ns(void);
void wait_briefly(void);
bool parse_number(const char *text, long long *number);
__attribute__((format(printf, 2, 3))) void append(struct text *text, const char *format, ...);
bool write_all(int fd, const struct text *text);

#endif
