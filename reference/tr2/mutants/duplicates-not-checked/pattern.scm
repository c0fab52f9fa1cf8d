; main begins without a search for bytes that appear twice: there is no line to mark.
((function_definition
  declarator: (function_declarator
    declarator: (identifier) @main
    parameters: (parameter_list
      . (parameter_declaration declarator: (identifier) @argc)
      . (parameter_declaration declarator: (pointer_declarator declarator: [
          (pointer_declarator declarator: (identifier) @argv)
          (array_declarator declarator: (identifier) @argv)]))))
  body: (compound_statement . "{" @begin))
  (#name? @main "main")
  (#set! edit.begin "{begin} if ({argc} == 3) for (const char *one = {argv}[1]; *one != 0; one++) if (strchr(one + 1, *one) != NULL) { fputs(\"a byte appears twice\\n\", stderr); exit(1); }")
  (#set! include "stdio.h stdlib.h string.h")
  (#set! verb "add")
  (#set! says "with a check, if argc is 3, that FROM has no byte twice, at the beginning of `main`")
  (#set! proof "yes"))
