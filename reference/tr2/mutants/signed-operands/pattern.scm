; A char is compared with what getchar returned, or with an unsigned char.
((binary_expression left: (_) @operand operator: ["==" "!="] right: (_) @other) @line
  (#unlike? @operand @other)
  (#set! edit.operand "(unsigned char)({operand})")
  (#set! says "with `{operand}` cast to `unsigned char`")
  (#set! verb "cast")
  (#set! order "`{operand}` to `unsigned char`")
  (#set! because "a char may be negative")
  (#set! otherwise-order "the char of the comparison to `unsigned char`")
  (#set! otherwise "with the char of the comparison cast to `unsigned char`"))

((binary_expression left: (_) @other operator: ["==" "!="] right: (_) @operand) @line
  (#unlike? @operand @other)
  (#set! edit.operand "(unsigned char)({operand})")
  (#set! says "with `{operand}` cast to `unsigned char`")
  (#set! verb "cast")
  (#set! order "`{operand}` to `unsigned char`")
  (#set! because "a char may be negative")
  (#set! otherwise-order "the char of the comparison to `unsigned char`")
  (#set! otherwise "with the char of the comparison cast to `unsigned char`"))

; A wider variable gets a char, and keeps its sign.
((init_declarator declarator: (identifier) @variable value: (_) @operand) @line
  (#type? @variable "int")
  (#type? @operand "char")
  (#set! edit.operand "(unsigned char)({operand})")
  (#set! says "with `{operand}` cast to `unsigned char`")
  (#set! verb "cast")
  (#set! order "`{operand}` to `unsigned char`")
  (#set! because "a char may be negative")
  (#set! otherwise-order "the char to `unsigned char`")
  (#set! otherwise "with the char cast to `unsigned char`")
  (#set! one "yes")
  (#set! proof "yes"))

((assignment_expression left: (identifier) @variable operator: "=" right: (_) @operand) @line
  (#type? @variable "int")
  (#type? @operand "char")
  (#set! edit.operand "(unsigned char)({operand})")
  (#set! says "with `{operand}` cast to `unsigned char`")
  (#set! verb "cast")
  (#set! order "`{operand}` to `unsigned char`")
  (#set! because "a char may be negative")
  (#set! otherwise-order "the char to `unsigned char`")
  (#set! otherwise "with the char cast to `unsigned char`")
  (#set! one "yes")
  (#set! proof "yes"))

; A table is filled at the index of a char.
((subscript_expression index: (_) @index) @line
  (#char-index? @index)
  (#set! edit.index "(unsigned char)({index})")
  (#set! says "with `{index}` cast to `unsigned char`")
  (#set! verb "cast")
  (#set! order "`{index}` to `unsigned char`")
  (#set! because "a char may be negative")
  (#set! otherwise-order "the index to `unsigned char`")
  (#set! otherwise "with the index cast to `unsigned char`"))
