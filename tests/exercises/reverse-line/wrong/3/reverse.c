#include <stdio.h>
#include <string.h>

int main() {
  char in[210], out[210];
  int first = 1;

  while (fgets(in, sizeof(in), stdin) != NULL) {
    in[strcspn(in, "\n")] = '\0';
    int n = strlen(in);
    for (int i = 0; i < n; i++) {
      out[i] = in[n - 1 - i];
    }
    out[n] = '\0';
    if (first) {
      first = 0;
    } else {
      printf("\n");
    }
    printf("%s", out);
  }
  return 0;
}
