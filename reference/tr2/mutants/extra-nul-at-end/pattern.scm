; A NUL, and nothing else, is written to standard output once.
((call_expression) @line
  (#writes-only? @line "0")
  (#not-in-loop? @line)
  (#set! edit.line "1")
  (#set! says "without this NUL"))
