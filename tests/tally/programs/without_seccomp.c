#include "without.h"

int main(int argc, char **argv)
{
    return run_without(SYS_seccomp, argc, argv);
}
