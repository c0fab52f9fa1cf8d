#ifndef TALLY_GUARD_H
#define TALLY_GUARD_H

#include "tally.h"

int install_guard(const struct plan *plan);
bool is_conforming(const struct plan *plan, const struct call *call);
bool is_stray(const struct plan *plan, const struct call *call);
const char *refused_part(const struct call *call);

#endif
