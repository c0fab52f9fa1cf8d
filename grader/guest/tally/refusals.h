#ifndef TALLY_REFUSALS_H
#define TALLY_REFUSALS_H

#include "tally.h"

enum refusal refusal_of(const struct run *run, pid_t tid, const struct call *call, long long result);

#endif
