#ifndef TALLY_PARENT_H
#define TALLY_PARENT_H

#include "tally.h"

void watch_parent(struct run *run);

#endif
