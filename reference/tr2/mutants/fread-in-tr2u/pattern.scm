; Standard input is read through stdio.
((call_expression) @line
  (#library-call? @line "fread" "fgets" "getline" "getchar" "getc" "fgetc"))
