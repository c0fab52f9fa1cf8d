#ifndef TALLY_ACCOUNT_H
#define TALLY_ACCOUNT_H

#include "tally.h"

bool read_io(int fd, struct io *io);
void set_file_ids(struct run *run, uid_t uid, gid_t gid);
void start_accounting(struct run *run);
void read_waiting_time(struct run *run, pid_t pid);
void open_accounting(struct run *run);
void reap_program(struct run *run);
bool reap_killer(struct run *run);
void add_orphans(struct run *run);

#endif
