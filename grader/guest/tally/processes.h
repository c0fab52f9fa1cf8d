#ifndef TALLY_PROCESSES_H
#define TALLY_PROCESSES_H

#include "tally.h"

void allow_spare_processes(struct run *run);

#endif
