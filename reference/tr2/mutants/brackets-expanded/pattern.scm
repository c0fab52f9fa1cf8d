; A byte of an operand is compared with [.
((binary_expression operator: "==" right: (_) @byte) @line
  (#value? @byte "91")
  (#set! edit.line "0")
  (#set! says "without the branch for `[`"))
