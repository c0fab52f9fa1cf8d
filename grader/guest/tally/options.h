#ifndef TALLY_OPTIONS_H
#define TALLY_OPTIONS_H

#include "tally.h"

void find_report_fd(struct run *run, char **next);
void read_options(struct run *run, char **next);

#endif
