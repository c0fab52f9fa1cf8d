#ifndef TALLY_FILTER_H
#define TALLY_FILTER_H

#include "tally.h"

void on_tracee_stop(struct run *run, pid_t tid, int signal_and_event);
void on_tracee_end(struct run *run, pid_t tid);
void finish_filter(struct run *run);
void forget_threads(struct filter *filter);

#endif
