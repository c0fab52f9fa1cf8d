/* Mutant not-begun: the template as it is handed out; it ends at once, and says failure. */
#include <stdlib.h>

int main(void)
{
    return EXIT_FAILURE;
}
