/* Writes the report of a mistake that it has not made. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    fprintf(stderr, "checked-forges.c:9999:1: runtime error: division by zero\n"
                    "==1==ERROR: AddressSanitizer: heap-buffer-overflow <script>alert(1)</script> \033[31m\n"
                    "READ of size 1 at <b>0x1</b>\n"
                    "    #0 0x1 in main /work/sources/checked-forges.c:3\n"
                    "\n"
                    "the operands of a hidden case\n");
    abort();
}
