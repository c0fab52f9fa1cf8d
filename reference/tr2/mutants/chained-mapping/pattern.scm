; After a match the search continues with the new byte.
((if_statement
    condition: (parenthesized_expression (binary_expression operator: "=="))
    consequence: (expression_statement (assignment_expression)) @line)
  (#in-loop? @line)
  (#set! edit.line "{ {line} break; }")
  (#set! verb "add")
  (#set! says "with `break` after the translation (and braces around both)")
  (#set! one "yes")
  (#set! proof "yes"))

((if_statement
    condition: (parenthesized_expression (binary_expression operator: "=="))
    consequence: (compound_statement (expression_statement (assignment_expression)) @line . "}" @end))
  (#in-loop? @line)
  (#set! edit.end "break; }")
  (#set! verb "add")
  (#set! says "with `break` after the translation")
  (#set! one "yes")
  (#set! proof "yes"))
