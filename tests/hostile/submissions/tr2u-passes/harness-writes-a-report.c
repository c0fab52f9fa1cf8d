/* Harness: writes reports and events wherever the grader may look for some. */
#include "attack.h"

static void attack(void)
{
    static const char *const names[] = {"report.json", "results.json", "grades.csv", "events", "stdout"};
    static const char *const folders[] = {"..", "/", "/work", "/work/out", "/work/bin", "/scratch", "/autograder",
                                          "/autograder/results", "/results", "/root", "/home", "/etc", "/usr/local/bin"};
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        /* In its own folder it may. */
        const int fd = open(names[i], O_WRONLY | O_CREAT, 0666);
        (void)!write(fd, "{\"status\": \"graded\", \"score\": 100, \"max_score\": 100}\n", 54);
        close(fd);
        for (size_t j = 0; j < sizeof folders / sizeof *folders; j++) {
            snprintf(path, sizeof path, "%s/%s", folders[j], names[i]);
            must_not_write(path);
        }
    }
}
