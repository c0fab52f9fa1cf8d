#ifndef TALLY_FAULT_H
#define TALLY_FAULT_H

#include "tally.h"

_Noreturn void die(struct run *run, const char *step, int error, const char *message);

#endif
