/* The files of which a program reads its input in mode `account`, so that a mapping of one is known, by whatever path and
 * descriptor. */
#include "inputs.h"

#include "account.h"
#include "fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

static void add_input(struct run *run, const struct stat *file)
{
    if (S_ISREG(file->st_mode) && run->input_count < LENGTH(run->inputs))
        run->inputs[run->input_count++] = (struct input_file){file->st_dev, file->st_ino};
}

static void add_given_files(struct run *run)
{
    DIR *folder = opendir(run->plan.writable);
    const struct dirent *entry = NULL;
    struct stat file;
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
        if (fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0)
            add_input(run, &file);
    (void)closedir(folder);
}

/* Called before the program is forked. If standard input is an empty file, the input is in files that the program is
 * given, in a folder that may be open to its uid alone. */
void find_inputs(struct run *run)
{
    struct stat input;
    if (run->plan.number[MODE] != ACCOUNT)
        return;
    if (fstat(STDIN_FILENO, &input) != 0)
        die(run, "fstat", errno, NULL);
    if (!S_ISREG(input.st_mode) || input.st_size > 0 || !run->plan.given[WRITABLE]) {
        add_input(run, &input);
        return;
    }
    if (!run->plan.given[UID]) {
        add_given_files(run);
        return;
    }
    set_file_ids(run, (uid_t)run->plan.number[UID], (gid_t)run->plan.number[GID]);
    add_given_files(run);
    set_file_ids(run, geteuid(), getegid());
    /* Other ids make us undumpable, and so would be the child, which could not be traced without CAP_SYS_PTRACE. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
        die(run, "dumpable", errno, NULL);
}
