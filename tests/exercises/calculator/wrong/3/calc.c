#include <stdio.h>

int main() {
  int num1, num2, res;
  char op;

  while (1) {
    printf("> ");
    if (scanf("%d %c %d", &num1, &op, &num2) != 3) {
      break;
    }
    if (op == '/' && num2 == 0) {
      printf("division by zero\n");
      continue;
    }
    switch (op) {
      case '+': res = num1 + num2; break;
      case '-': res = num1 - num2; break;
      case '*': res = num1 * num2; break;
      case '/': res = num1 / num2; break;
      default:
        printf("unknown operator\n");
        continue;
    }
    printf("%d %c %d = %d\n", num1, op, num2, res);
  }
  return 0;
}
