/* Display: writes what a spreadsheet takes for formulas. */
#include "attack.h"

static void attack(void)
{
    static const char formulas[] = "=HYPERLINK(\"http://invalid\";\"100\")\n+1+1\n-1+1\n@SUM(1)\n\t=1\n\r=1\n";
    fputs(formulas, stdout);
    fputs(formulas, stderr);
}
