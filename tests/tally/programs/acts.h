/* A program whose first operand says which act to perform, with a number as the second; any further operand only marks
 * its processes. Exit status 99: it could not do it. Feature macros stand before this is included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct act {
    const char *name;
    int (*perform)(int number);
};

/* What it was started with, for acts that execute it again. */
static char **arguments;

static int fail(const char *what)
{
    perror(what);
    exit(99);
}

static int perform(const struct act *acts, size_t count, int argc, char **argv)
{
    arguments = argv;
    for (size_t i = 0; argc > 1 && i < count; i++)
        if (strcmp(argv[1], acts[i].name) == 0)
            return acts[i].perform(argc > 2 ? atoi(argv[2]) : 0);
    fprintf(stderr, "no such act\n");
    return 99;
}
