/* Escape: takes other uids and groups, capabilities, and runs programs that might give them. */
#include "attack.h"

static void attack(void)
{
    static const char *const programs[] = {"/bin/su", "/usr/bin/sudo", "/usr/bin/passwd", "/bin/mount", "/usr/bin/newgrp"};
    struct stat status;
    gid_t group = 0;
    MUST_FAIL(setuid(0));
    MUST_FAIL(setresuid(0, 0, 0));
    MUST_FAIL(setgid(0));
    MUST_FAIL(setgroups(1, &group));
    MUST_FAIL(prctl(PR_CAPBSET_DROP, 0, 0, 0, 0));
    if (getuid() == 0 || geteuid() == 0 || getgid() == 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        it_worked("it is root, or may become it");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const pid_t pid = stat(programs[i], &status) == 0 && (status.st_mode & S_ISUID) ? fork() : -1;
        int ended = 0;
        if (pid == 0) {
            close(0);
            close(1);
            execl(programs[i], programs[i], "-c", "true", (char *)NULL);
            _exit(1);
        }
        if (pid > 0 && waitpid(pid, &ended, 0) == pid && ended == 0)
            it_worked(programs[i]);
    }
}
