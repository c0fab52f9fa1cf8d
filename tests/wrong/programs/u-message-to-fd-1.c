#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say(const char *text)
{
    write(1, text, strlen(text));
}

int main(int argc, char **argv)
{
    char c;

    if (argc != 3) {
        say("tr2u: wrong number of operands\n");
        exit(1);
    }

    char *from = argv[1];
    char *to = argv[2];
    int n = strlen(from);

    if (n != strlen(to)) {
        say("tr2u: operands of different lengths\n");
        exit(1);
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (from[j] == from[i]) {
                say("tr2u: duplicate in from\n");
                exit(1);
            }
        }
    }
    while (read(0, &c, 1) > 0) {
        for (int i = 0; i < n; i++) {
            if (from[i] == c) {
                c = to[i];
                break;
            }
        }
        write(1, &c, 1);
    }
    exit(0);
}
