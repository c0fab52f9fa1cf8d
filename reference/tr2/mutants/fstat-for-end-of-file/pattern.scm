; The size of a file is asked for, not what a read returns.
((call_expression) @line
  (#library-call? @line "fstat"))
