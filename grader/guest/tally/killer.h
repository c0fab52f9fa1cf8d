#ifndef TALLY_KILLER_H
#define TALLY_KILLER_H

#include "tally.h"

_Noreturn void run_killer(const struct plan *plan, int trigger_fd);

#endif
