/* Compile: pragmas and attributes that would load a plugin, set options or look at files. */
#pragma GCC plugin "/tmp/plugin.so"
#pragma GCC optimize("-fplugin=/tmp/plugin.so")
#pragma GCC dependency "/etc/passwd"
#pragma comment(lib, "evil")
#pragma comment(linker, "-T/etc/passwd")
#include "attack.h"

static void attack(void)
{
}
