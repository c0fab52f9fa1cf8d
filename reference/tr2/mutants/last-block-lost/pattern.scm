; The program ends without writing what stdio still holds.
((call_expression) @line
  (#library-call? @line "_exit" "_Exit" "quick_exit" "abort")
  (#set! edit.line "(fflush(NULL), {line})")
  (#set! include "stdio.h")
  (#set! says "with `fflush(stdout)`"))
