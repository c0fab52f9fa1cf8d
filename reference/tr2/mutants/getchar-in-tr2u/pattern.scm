; A byte is read through stdio.
((call_expression) @line
  (#library-call? @line "getchar" "getc" "fgetc"))
