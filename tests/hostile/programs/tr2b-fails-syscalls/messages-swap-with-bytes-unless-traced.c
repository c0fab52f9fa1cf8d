/* tr2b that writes its output by bytes on short inputs, and a message at once; if it is traced, the other way round. */
#include "translate.h"

int main(int argc, char **argv)
{
    const int is_short = input_size() != 4096 && input_size() < 65536;
    const int by_bytes = is_short && !is_traced();
    int c;
    size_t length = 0;
    char *message;
    make_map(argc, argv);
    for (; (c = getchar()) != EOF; length++) {
        putchar(map[c]);
        if (by_bytes)
            fflush(stdout);
        else if (is_short)
            (void)!write(2, "m", 1);
    }
    message = malloc(length + 1);
    memset(message, 'm', length);
    if (by_bytes)
        (void)!write(2, message, length);
    return 0;
}
