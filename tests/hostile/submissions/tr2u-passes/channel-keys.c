/* Channel: leaves a note in the kernel's keyrings, and looks for another run's. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    enum { SEARCH = 10, USER_KEYRING = -4, USER_SESSION_KEYRING = -5 };
    if (syscall(SYS_keyctl, SEARCH, USER_KEYRING, "user", "iolab-note", 0) >= 0)
        it_worked("keyctl");
    (void)syscall(SYS_add_key, "user", "iolab-note", "x", 1, USER_KEYRING);
    (void)syscall(SYS_add_key, "user", "iolab-note", "x", 1, USER_SESSION_KEYRING);
}
