; A loop ends one too early: i < length - 1
((for_statement condition: (binary_expression operator: "<"
    right: (binary_expression left: (_) @length operator: "-" right: (_) @number) @limit) @line)
  (#value? @number "1")
  (#set! edit.limit "{length}")
  (#set! verb "use")
  (#set! says "with the whole length as the limit")
  (#set! one "yes")
  (#set! proof "yes"))
