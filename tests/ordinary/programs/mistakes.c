/* Ends a child that could not be made, whose number is -1; 1: it worked, and everything of this user is gone. */
#include <signal.h>
#include <sys/types.h>

int main(void)
{
    const pid_t not_made = -1;
    return kill(not_made, SIGTERM) == 0;
}
