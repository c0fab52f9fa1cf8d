; A char, which may be negative, is an index.
((subscript_expression index: (_) @index) @line
  (#char-index? @index)
  (#set! edit.index "(unsigned char)({index})")
  (#set! says "with a cast to `unsigned char`"))
