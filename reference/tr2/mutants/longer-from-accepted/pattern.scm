; Lengths are compared in one direction only: no error if FROM is longer.
; The difference of two lengths is never negative.
((binary_expression
  left: (binary_expression left: (_) @left operator: "-" @minus right: (_) @right)
  operator: ["<" ">"] @operator
  right: (number_literal) @zero) @line
  (#result-of? @left "strlen")
  (#result-of? @right "strlen")
  (#value? @zero "0")
  (#not-in-loop? @line)
  (#set! edit.minus "{operator}")
  (#set! edit.operator "")
  (#set! edit.zero "")
  (#set! says "with `{operator}` instead of `-` and without the `{operator} 0`"))

((binary_expression left: (call_expression) @left operator: ["<" ">"] @operator right: (call_expression) @right) @line
  (#library-call? @left "strlen")
  (#library-call? @right "strlen")
  (#not-in-loop? @line)
  (#set! edit.operator "!=")
  (#set! says "with `!=` instead of `{operator}`")
  (#set! otherwise "with `!=` in the comparison of the lengths")
  (#set! one "yes")
  (#set! proof "yes"))

((binary_expression left: (identifier) @left operator: ["<" ">"] @operator right: (call_expression) @right) @line
  (#library-call? @right "strlen")
  (#not-in-loop? @line)
  (#set! edit.operator "!=")
  (#set! says "with `!=` instead of `{operator}`")
  (#set! otherwise "with `!=` in the comparison of the lengths")
  (#set! one "yes")
  (#set! proof "yes"))

((binary_expression left: (call_expression) @left operator: ["<" ">"] @operator right: (identifier) @right) @line
  (#library-call? @left "strlen")
  (#not-in-loop? @line)
  (#set! edit.operator "!=")
  (#set! says "with `!=` instead of `{operator}`")
  (#set! otherwise "with `!=` in the comparison of the lengths")
  (#set! one "yes")
  (#set! proof "yes"))

((binary_expression left: (identifier) @left operator: ["<" ">"] @operator right: (identifier) @right) @line
  (#not-in-loop? @line)
  (#set! edit.operator "!=")
  (#set! says "with `!=` instead of `{operator}`")
  (#set! otherwise "with `!=` in the comparison of the lengths")
  (#set! one "yes")
  (#set! proof "yes"))
