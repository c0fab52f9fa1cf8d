#ifndef TALLY_OWN_LIMITS_H
#define TALLY_OWN_LIMITS_H

#include "tally.h"

bool is_lowered(const struct plan *plan, pid_t pid, enum limit limit);

#endif
