/* tr2b that writes by bytes on short inputs, next to a message so long that its writes could be the message's. */
#include "translate.h"

int main(int argc, char **argv)
{
    int c;
    size_t length = 0;
    char *message;
    make_map(argc, argv);
    if (input_size() == 4096 || input_size() >= 65536) {
        BUFFERED_COPY();
        return 0;
    }
    for (; (c = getchar()) != EOF; length++) {
        putchar(map[c]);
        fflush(stdout);
    }
    message = malloc(length + 1);
    memset(message, 'm', length);
    (void)!write(2, message, length);
    return 0;
}
