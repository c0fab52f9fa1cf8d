/* Compile: pragmas that would write or read files, if the compiler took such options from a source. */
#pragma GCC optimize("-fdump-tree-all", "-fprofile-generate", "-fprofile-use=/etc/passwd", "-fstack-usage")
#pragma GCC optimize("-fcallgraph-info", "-ffile-prefix-map=a=b", "-fauto-profile=/etc/passwd", "-fopt-info-all=/tmp/owned")
#pragma GCC diagnostic warning "-Weverything"
#include "attack.h"

static void attack(void)
{
}
