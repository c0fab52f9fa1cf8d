/* Display: writes NULs, broken UTF-8, half surrogates and invisible characters to both its streams. */
#include "attack.h"

static void attack(void)
{
    static const char bytes[] = "\0\0\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80\xe2\x80\xae" "abc\xe2\x80\x8b\xef\xbb\xbf\xef\xbf\xbf";
    fwrite(bytes, 1, sizeof bytes, stdout);
    fwrite(bytes, 1, sizeof bytes, stderr);
}
