; The loop ends at a newline.
((binary_expression left: (_) @value operator: "!=" right: (_) @byte) @line
  (#value? @byte "10")
  (#input-byte? @value)
  (#loop-condition? @line)
  (#set! edit.line "1")
  (#set! says "without the comparison with the newline")
  (#set! one "yes")
  (#set! proof "yes"))

; A comparison with a newline leaves the loop.
((if_statement
    condition: (parenthesized_expression (binary_expression left: (_) @value operator: "==" right: (_) @byte) @line)
    consequence: [(break_statement) (return_statement) (compound_statement [(break_statement) (return_statement)])])
  (#value? @byte "10")
  (#input-byte? @value)
  (#in-loop? @line)
  (#set! edit.line "0")
  (#set! says "without the comparison with the newline")
  (#set! one "yes")
  (#set! proof "yes"))
