#ifndef TALLY_STRAYS_H
#define TALLY_STRAYS_H

#include "tally.h"

void receive_strays(struct run *run);
bool has_too_many_strays(const struct run *run);

#endif
