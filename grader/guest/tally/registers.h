#ifndef TALLY_REGISTERS_H
#define TALLY_REGISTERS_H

#include "tally.h"

bool is_restart(long long result);
bool cancel_call(pid_t tid);
bool set_result(pid_t tid, long result);
bool is_in_foreign_call(pid_t tid);
bool read_interrupted_call(pid_t tid, struct call *call);

#endif
