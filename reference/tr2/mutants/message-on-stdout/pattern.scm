; A message on standard output, and after it the end of the program or of its function.
((call_expression function: (identifier) @name arguments: (argument_list . "(" . (_) @first)) @line
  (#library-call? @line "printf")
  (#message? @line "stdout")
  (#refusal? @line)
  (#set! edit.name "fprintf")
  (#set! edit.first "stderr, {first}")
  (#set! says "with `fprintf(stderr, ...)` instead of `printf(...)`"))

((call_expression function: (identifier) @name arguments: (argument_list . "(" . (_) @first)) @line
  (#library-call? @line "puts")
  (#message? @line "stdout")
  (#refusal? @line)
  (#set! edit.name "fprintf")
  (#set! edit.first "stderr, \"%s\\n\", {first}")
  (#set! says "with `fprintf(stderr, ...)` instead of `puts(...)`"))

((call_expression arguments: (argument_list (identifier) @stream)) @line
  (#library-call? @line "fprintf" "vfprintf" "fputs" "fwrite")
  (#name? @stream "stdout")
  (#message? @line "stdout")
  (#refusal? @line)
  (#set! edit.stream "stderr")
  (#set! says "with `stderr` instead of `stdout`"))

((call_expression arguments: (argument_list . "(" . (_) @descriptor)) @line
  (#library-call? @line "write")
  (#value? @descriptor "1")
  (#message? @line "stdout")
  (#refusal? @line)
  (#set! edit.descriptor "2")
  (#set! says "with `2` (standard error) instead of `{descriptor}`")
  (#set! otherwise "with `2` (standard error) as the first argument of `write`"))
