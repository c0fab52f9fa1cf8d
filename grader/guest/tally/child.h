#ifndef TALLY_CHILD_H
#define TALLY_CHILD_H

#include "tally.h"

extern const int BEFORE_START, STEPS;

int drop_groups(const struct plan *plan);
int set_gid(const struct plan *plan);
int set_uid(const struct plan *plan);
int pin_cpu(const struct plan *plan);
int check_identity(const struct plan *plan);
bool find_limit(const struct plan *plan, unsigned long long resource, struct rlimit *limit);
int run_steps(const struct plan *plan, int first, int end);
const char *step_name(int step);
const char *step_trouble(const struct plan *plan, int step);

#endif
