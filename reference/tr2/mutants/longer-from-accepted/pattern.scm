; Lengths are compared in one direction only: no error if FROM is longer.
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
