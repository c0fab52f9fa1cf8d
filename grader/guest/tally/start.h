#ifndef TALLY_START_H
#define TALLY_START_H

#include "tally.h"

void prepare(struct run *run);
void start_program(struct run *run);
_Noreturn void exec_in_place(struct run *run);

#endif
