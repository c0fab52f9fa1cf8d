#ifndef TALLY_LANDLOCK_H
#define TALLY_LANDLOCK_H

#include "tally.h"

int confine_writing(const struct plan *plan);

#endif
