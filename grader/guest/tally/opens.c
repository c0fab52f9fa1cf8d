/* Opening the file of a standard stream again, by /dev/stdin for example, gives it a descriptor that no filter knows. The
 * kernel tells us of it, by whatever path and in whatever process it happens. */
#include "opens.h"

#include "tools.h"

#include <sys/inotify.h>
#include <unistd.h>

/* Called before the program is forked. A user may have only so many of these descriptors; then nothing is known. */
void watch_opens(struct run *run)
{
    if (run->plan.number[MODE] != ACCOUNT || !run->plan.given[READ_NBYTE])
        return;
    run->opens_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (run->opens_fd >= 0 && (inotify_add_watch(run->opens_fd, "/proc/self/fd/0", IN_OPEN) < 0 ||
                               inotify_add_watch(run->opens_fd, "/proc/self/fd/1", IN_OPEN) < 0)) {
        (void)close(run->opens_fd);
        run->opens_fd = -1;
    }
}

/* One event is enough. */
void append_opens(struct text *text, const struct run *run)
{
    struct inotify_event event;
    const char *is_known = read(run->opens_fd, &event, sizeof event) > 0 ? "true" : "false";
    append(text, ",\"opened_again\":%s", run->opens_fd < 0 ? "null" : is_known);
}
