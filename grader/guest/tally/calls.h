#ifndef TALLY_CALLS_H
#define TALLY_CALLS_H

#include "tally.h"
#include "tools.h"

bool takes_input(const struct call *call);
bool gives_output(const struct call *call);
int descriptor_of(const struct call *call);
enum limit limit_reached(const struct plan *plan, const struct call *call, int error);
enum limit limit_told_by(const struct plan *plan, const siginfo_t *signal);
void count_call(struct counts *counts, const struct call *call, bool is_on_stream, long long result, bool failed);
void note_refused_call(struct counts *counts, const struct call *call, const char *what);
void count_conforming(struct counts *counts, bool reads, long long nbyte, unsigned long long calls,
                      unsigned long long bytes, unsigned long long errors);
void append_calls(struct text *text, const struct counts *counts);
void append_streams(struct text *text, const struct counts *counts);
void append_strays(struct text *text, const struct counts *counts);
void append_restrictions(struct text *text, const struct counts *counts);

#endif
