; The loop asks for the end before it has read.
((call_expression) @line
  (#library-call? @line "feof"))
