/* Time, numbers and text. */
#include "tools.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

long long now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        abort(); /* not Linux */
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static const long long BRIEF_WAIT_NS = 5000000;

/* Sleep until a child changes its state, or for 5 ms. Every signal is blocked: see `prepare`. */
void wait_briefly(void)
{
    const struct timespec timeout = {.tv_nsec = BRIEF_WAIT_NS};
    sigset_t child;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigtimedwait(&child, NULL, &timeout);
}

/* Accept one number, without a sign, spaces or anything after it. */
bool parse_number(const char *text, long long *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

/* Only constants and numbers are appended, so nothing needs escaping and all of it fits. */
__attribute__((format(printf, 2, 3))) void append(struct text *text, const char *format, ...)
{
    const size_t left = sizeof text->bytes - text->used;
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text->bytes + text->used, left, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= left)
        abort();
    text->used += (size_t)length;
}

bool write_all(int fd, const struct text *text)
{
    for (size_t done = 0; done < text->used;) {
        const ssize_t length = write(fd, text->bytes + done, text->used - done);
        if (length < 0 && errno != EINTR)
            return false;
        done += length > 0 ? (size_t)length : 0;
    }
    return true;
}
