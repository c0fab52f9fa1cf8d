/* Faults: failures on our side, which say nothing about the program. */
#include "fault.h"

#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kill what was started, then put the reason into the report and on standard error. */
_Noreturn void die(struct run *run, const char *step, int error, const char *message)
{
    struct text text = {0};
    const char *why = message != NULL ? message : strerror(error);
    (void)run->clean_up(run); /* if this fails too, nothing gets worse */
    append(&text, "{\"tally\":1,\"fault\":{\"step\":\"%s\",\"errno\":%d,\"message\":\"%s\"}}\n", step, error, why);
    if (run->report_fd >= 0 && !write_all(run->report_fd, &text))
        (void)fputs("tally: the report cannot be written\n", stderr);
    (void)fprintf(stderr, "tally: %s: %s (errno %d)\n", step, why, error);
    exit(FAULT_STATUS);
}
