#ifndef TALLY_REPORT_H
#define TALLY_REPORT_H

#include "tally.h"

void report(struct run *run);

#endif
