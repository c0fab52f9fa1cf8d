#ifndef TALLY_OPENS_H
#define TALLY_OPENS_H

#include "tally.h"
#include "tools.h"

void watch_opens(struct run *run);
void append_opens(struct text *text, const struct run *run);

#endif
