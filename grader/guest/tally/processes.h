#ifndef TALLY_PROCESSES_H
#define TALLY_PROCESSES_H

#include "tally.h"

void limit_processes(struct run *run);

#endif
