; A read of standard input that asks for more than one byte.
((call_expression arguments: (argument_list . "(" . (_) @descriptor . "," . (_) . "," . (_) @nbyte . ")")) @line
  (#library-call? @line "read")
  (#value? @descriptor "0")
  (#not-value? @nbyte "1")
  (#set! edit.nbyte "1")
  (#set! says "with 1 instead of `{nbyte}` as the number of bytes")
  (#set! otherwise "with 1 as the number of bytes"))
