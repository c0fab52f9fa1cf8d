#ifndef TALLY_OPTIONS_H
#define TALLY_OPTIONS_H

#include "tally.h"

char **read_arguments(struct run *run, char **arguments);
void find_report_fd(struct run *run, char **next);
void read_options(struct run *run, char **next);

#endif
