#ifndef TALLY_SWEEP_H
#define TALLY_SWEEP_H

#include "tally.h"

void read_waiting_times(struct run *run);
bool sweep(struct run *run);

#endif
