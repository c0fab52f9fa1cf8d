/* Loaded before the C library: the time of day goes back or forward by months at each look, as it may on a machine whose
 * clock somebody sets. Other clocks are right. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const long JUMP_S = 86400L * 100;
static long looks;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME) {
        const long look = __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
        now->tv_sec += (look % 3 - 1) * (look % 7) * JUMP_S;
    }
    return result;
}

time_t time(time_t *seconds)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (seconds != NULL)
        *seconds = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &exact);
    *now = (struct timeval){.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
    return 0;
}
