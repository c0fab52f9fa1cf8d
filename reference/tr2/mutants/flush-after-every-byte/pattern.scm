; Standard output is flushed in a loop.
((call_expression arguments: (argument_list . "(" . (_) @stream . ")")) @line
  (#library-call? @line "fflush")
  (#name? @stream "stdout" "NULL" "0")
  (#in-loop? @line)
  (#set! edit.line "0")
  (#set! says "without `fflush`"))

; The buffer of standard output or input is set.
((call_expression function: (identifier) @name arguments: (argument_list . "(" . (_) @stream)) @line
  (#library-call? @line "setvbuf" "setbuf" "setlinebuf")
  (#name? @stream "stdout" "stdin")
  (#set! edit.line "0")
  (#set! says "without `{name}`")
  (#set! proof "yes"))
