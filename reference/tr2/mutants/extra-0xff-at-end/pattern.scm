; What getchar returns is used before it is compared with EOF.
((compound_statement
    (expression_statement (assignment_expression left: (identifier) @variable right: (_) @value)) @line)
  (#input? @value)
  (#in-loop? @line)
  (#set! edit.line "{line} if ({variable} == EOF) break;")
  (#set! verb "add")
  (#set! says "with `if ({variable} == EOF) break;` after the read")
  (#set! one "yes")
  (#set! proof "yes"))
