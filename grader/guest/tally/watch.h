#ifndef TALLY_WATCH_H
#define TALLY_WATCH_H

#include "tally.h"

void watch(struct run *run);
void collect_result(struct run *run);

#endif
