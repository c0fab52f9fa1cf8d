#ifndef TALLY_KILLER_H
#define TALLY_KILLER_H

#include "tally.h"

_Noreturn void be_the_helper(const struct plan *plan, int order);

#endif
