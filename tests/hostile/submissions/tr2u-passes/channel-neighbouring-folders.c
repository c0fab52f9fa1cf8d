/* Channel: lists the folders next to its own, whose number and order would tell which run this is. */
#define WHEN 1
#include "attack.h"

static void attack(void)
{
    if (opendir("..") != NULL)
        it_worked("..");
}
