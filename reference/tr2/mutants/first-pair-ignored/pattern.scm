; A loop begins with the second byte.
((for_statement initializer: [
    (declaration declarator: (init_declarator value: (_) @first))
    (assignment_expression right: (_) @first)] @line)
  (#value? @first "1")
  (#set! edit.first "0")
  (#set! verb "use")
  (#set! says "with 0 as the first index")
  (#set! one "yes")
  (#set! proof "yes"))
