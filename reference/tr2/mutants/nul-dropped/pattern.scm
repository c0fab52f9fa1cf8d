; A comparison decides whether a byte is written, and NUL is not.
((binary_expression left: (_) @value operator: ["!=" ">"] right: (_) @byte) @line
  (#value? @byte "0")
  (#input-byte? @value)
  (#not-loop-condition? @line)
  (#in-loop? @line)
  (#set! edit.line "1")
  (#set! says "without the test for NUL")
  (#set! one "yes")
  (#set! proof "yes"))

((if_statement condition: (parenthesized_expression (identifier) @line))
  (#input-byte? @line)
  (#in-loop? @line)
  (#set! edit.line "1")
  (#set! says "without the test for NUL")
  (#set! one "yes")
  (#set! proof "yes"))
