; A newline, and nothing else, is written to standard output once.
((call_expression) @line
  (#writes-only? @line "10")
  (#not-in-loop? @line)
  (#set! edit.line "1")
  (#set! says "without this newline"))
