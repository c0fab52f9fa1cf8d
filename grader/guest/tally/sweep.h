#ifndef TALLY_SWEEP_H
#define TALLY_SWEEP_H

#include "tally.h"

bool sweep(struct run *run);

#endif
