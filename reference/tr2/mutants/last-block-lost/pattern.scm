; The program ends without writing what stdio still holds.
((call_expression function: (identifier) @name) @line
  (#library-call? @line "_exit" "_Exit" "quick_exit")
  (#set! edit.name "exit")
  (#set! include "stdlib.h")
  (#set! says "with `exit` instead of `{name}`"))

((call_expression) @line
  (#library-call? @line "abort"))
