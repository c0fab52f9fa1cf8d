; An unsigned char variable, whatever its name and wherever it is declared, that is set to what getchar returns.
((declaration type: (_) @type declarator: [(identifier) @variable @line (init_declarator declarator: (identifier) @variable @line)])
  (#type? @variable "unsigned char")
  (#takes-input? @variable)
  (#set! type.variable "int")
  (#set! says "with `int {variable}` instead of `{type} {variable}`"))

; A function that returns an unsigned char, and gets it from getchar.
((function_definition type: (_) @type declarator: (function_declarator declarator: (identifier) @variable @line))
  (#returning? @variable "unsigned char")
  (#returns-input? @variable)
  (#set! type.variable "int")
  (#set! says "with `int {variable}` instead of `{type} {variable}`"))

; An int that only gets an unsigned char: c = (unsigned char)getchar()
((cast_expression type: (type_descriptor) @kind value: (_) @value) @line
  (#type? @line "unsigned char")
  (#input? @value)
  (#set! edit.kind "int")
  (#set! says "with `(int)` instead of `({kind})`"))
