; After a message the program ends with exit(0).
((call_expression arguments: (argument_list . (_) @status .)) @line
  (#library-call? @line "exit" "_exit" "_Exit")
  (#value? @status "0")
  (#after-message? @line)
  (#set! edit.status "1")
  (#set! verb "use")
  (#set! says "with `1` as the exit status"))

; After a message the program ends with exit(errno), which is 0 if no call has failed.
((call_expression arguments: (argument_list . (identifier) @status .)) @line
  (#library-call? @line "exit" "_exit" "_Exit")
  (#name? @status "errno")
  (#after-message? @line)
  (#set! edit.status "1")
  (#set! verb "use")
  (#set! says "with `1` as the exit status"))

; After a message main returns 0.
((return_statement (_) @status) @line
  (#in-main? @line)
  (#value? @status "0")
  (#after-message? @line)
  (#set! edit.status "1")
  (#set! verb "use")
  (#set! says "with `1` as the exit status"))
