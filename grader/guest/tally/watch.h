#ifndef TALLY_WATCH_H
#define TALLY_WATCH_H

#include "tally.h"

void watch(struct run *run);
void collect(struct run *run);

#endif
