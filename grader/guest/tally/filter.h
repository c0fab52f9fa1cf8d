#ifndef TALLY_FILTER_H
#define TALLY_FILTER_H

#include "tally.h"

void heed_tracee(struct run *run, pid_t tid, int signal_and_event);
void heed_tracee_end(struct run *run, pid_t tid);
void conclude_filter(struct run *run);
void forget_threads(struct filter *filter);

#endif
