; main begins without a comparison of the lengths: there is no line to mark.
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
  (#set! edit.begin "{begin} if ({argc} == 3 && strlen({argv}[1]) != strlen({argv}[2])) { fputs(\"lengths differ\\n\", stderr); exit(1); }")
  (#set! include "stdio.h stdlib.h string.h")
  (#set! verb "add")
  (#set! says "with a check, if argc is 3, that the lengths are the same, at the beginning of `main`")
  (#set! proof "yes"))
