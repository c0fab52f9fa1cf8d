#ifndef TALLY_INPUTS_H
#define TALLY_INPUTS_H

#include "tally.h"

void find_inputs(struct run *run);

#endif
