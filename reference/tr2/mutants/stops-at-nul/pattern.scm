; The loop ends at a NUL.
((binary_expression left: (_) @value operator: "!=" right: (_) @byte) @line
  (#value? @byte "0")
  (#input-byte? @value)
  (#loop-condition? @line)
  (#set! edit.line "1")
  (#set! says "without the condition that the byte is not NUL")
  (#set! one "yes")
  (#set! proof "yes"))

; A comparison with a NUL leaves the loop.
((if_statement
    condition: (parenthesized_expression (binary_expression left: (_) @value operator: "==" right: (_) @byte) @line)
    consequence: [(break_statement) (return_statement) (compound_statement [(break_statement) (return_statement)])])
  (#value? @byte "0")
  (#input-byte? @value)
  (#in-loop? @line)
  (#set! edit.line "0")
  (#set! says "without the test for NUL")
  (#set! one "yes")
  (#set! proof "yes"))

; The byte itself is a condition of the loop.
((binary_expression operator: "&&" right: (identifier) @line)
  (#input-byte? @line)
  (#loop-condition? @line)
  (#set! edit.line "1")
  (#set! says "without the condition that the byte is not NUL")
  (#set! one "yes")
  (#set! proof "yes"))

; while ((c = getchar()) > 0)
((binary_expression left: (_) @value operator: ">" @operator right: (_) @byte) @line
  (#value? @byte "0")
  (#input? @value)
  (#set! edit.operator "!=")
  (#set! edit.byte "EOF")
  (#set! says "with `!= EOF` instead of the comparison with 0")
  (#set! one "yes")
  (#set! proof "yes"))
