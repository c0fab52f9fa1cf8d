/* Harness: looks for the reference, the lab's spec and the grader in the folders where they may be installed. */
#include "attack.h"

static void attack(void)
{
    static const char *const paths[] = {
        "/autograder", "/autograder/source", "/autograder/source/lab.yaml", "/autograder/results",
        "/autograder/results/results.json", "/autograder/results/stdout", "/autograder/submission_metadata.json",
        "/autograder/submission", "/autograder/run_autograder", "/autograder/harness.py", "/opt/iolab-grader",
        "/opt/iolab-grader/cache", "/opt/iolab-grader/venv/bin/grader", "/root", "/root/.cache",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        must_not_open(paths[i]);
}
