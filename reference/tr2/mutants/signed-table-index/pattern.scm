; A char, which may be negative, is an index.
((subscript_expression index: (_) @index) @line
  (#char-index? @index)
  (#set! edit.index "(unsigned char)({index})")
  (#set! says "with `{index}` cast to `unsigned char`")
  (#set! verb "cast")
  (#set! order "`{index}` to `unsigned char`")
  (#set! because "a char may be negative")
  (#set! otherwise-order "the index to `unsigned char`")
  (#set! otherwise "with the index cast to `unsigned char`"))
