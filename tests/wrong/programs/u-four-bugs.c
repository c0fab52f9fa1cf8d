#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char *argv[]) {
char *from = argv[1];
char *to = argv[2];
if (strlen(from) != strlen(to)) {
printf("Error: Input strings have different lengths\n");
exit(1);
}
for (int i = 0; i + 1 < strlen(from); i++) {
if (from[i] == from[i+1]) {
printf("Error: Input string has duplicates\n");
exit(1);
}
}
char c;
while (read(0, &c, 1) > 0) {
for (int i = 0; i < strlen(from); i++) {
if (c == from[i]) {
c = to[i];
}
}
write(1, &c, 1);
}
return 0;
}
