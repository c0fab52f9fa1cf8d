#ifndef TALLY_CHILD_H
#define TALLY_CHILD_H

#include "tally.h"

extern const int BEFORE_START, STEPS;

int drop_groups(const struct plan *plan);
int take_gid(const struct plan *plan);
int take_uid(const struct plan *plan);
int take_cpu(const struct plan *plan);
int check_identity(const struct plan *plan);
int take_steps(const struct plan *plan, int first, int end);
const char *step_name(int step);

#endif
