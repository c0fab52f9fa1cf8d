; main begins without a look at the number of operands: it has no line to mark.
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
  (#unused? @argc)
  (#set! edit.begin "{begin} if ({argc} != 3) { fputs(\"usage: from to\\n\", stderr); exit(1); }")
  (#set! include "stdio.h stdlib.h")
  (#set! verb "add")
  (#set! says "with a check that argc is 3, at the beginning of `main`"))

; argc is compared with another number than 3.
((binary_expression left: (identifier) @argc operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @number) @line
  (#name? @argc "argc")
  (#in-main? @line)
  (#not-value? @number "3")
  (#set! edit.line "{argc} != 3")
  (#set! says "with `argc != 3`")
  (#set! proof "yes"))
