/* Compile: more warnings than there is time for. */
#define W1 1; 1; 1; 1; 1; 1; 1; 1; 1; 1;
#define W2 W1 W1 W1 W1 W1 W1 W1 W1 W1 W1
#define W3 W2 W2 W2 W2 W2 W2 W2 W2 W2 W2
#define W4 W3 W3 W3 W3 W3 W3 W3 W3 W3 W3
#define W5 W4 W4 W4 W4 W4 W4 W4 W4 W4 W4
#define W6 W5 W5 W5 W5 W5 W5 W5 W5 W5 W5
int main(void) { W6 return 0; }
