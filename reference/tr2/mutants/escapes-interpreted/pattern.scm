; A byte of an operand is compared with backslash.
((binary_expression operator: "==" right: (_) @byte) @line
  (#value? @byte "92")
  (#set! edit.line "0")
  (#set! says "without the branch for the backslash"))
