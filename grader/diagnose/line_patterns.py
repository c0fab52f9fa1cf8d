"""What to look for in a source to name lines that may have to do with a symptom, and what such lines do."""

from __future__ import annotations

ROLES = {
    "partly": "declares a variable of several bytes, of which only one is read",
    "bounds": "ends before the last entry of the array that the loop fills",
    "unfilled": "declares a table that no loop sets for every byte",
    "small": "declares an array with fewer entries than there are bytes",
    "kept": "sets a variable that nothing sets back for the next byte",
    "undone": "replaces what an earlier round of the search has found",
    "repeated": "writes in each round of a loop inside the one that reads",
    "first-round": "ends its loop in the first round, whatever was compared",
    "pointer-size": "takes the size of a pointer, not of what it points at",
    "cut": "copies fewer than 255 bytes of a string",
    "whole": "writes a fixed number of bytes, however many were read",
    "inner-input": "reads the whole input in one round of another loop",
    "refilled": "sets an entry of the array that it searches",
    "masks": "keeps only 7 bits of a byte",
    "as-string": "writes a string",
    "absent": "takes -1 for an entry that is not set",
    "eof-byte": "compares a byte with EOF",
    "feof": "looks for the end of the input before a read has met it",
    "compared": "keeps the result of a comparison, not what was read",
    "short": "ends its loop before the last byte",
    "signed": "keeps a char, which may be negative, for an index",
    "success": "ends the program with exit status 0",
    "quits": "ends the program without writing what stdio has left in its buffers",
    "reads": "reads the input",
    "tests": "tests a byte of the input",
    "waits": "waits",
    "buffers": "changes or empties a buffer",
    "writes": "writes",
    "errors": "writes to standard error",
    "runs": "runs another program",
    "drops": "ends the program, and leaves unwritten what stdio has in its buffers",
    "bytes": "takes a byte of an operand",
    "fills": "sets an entry of an array",
    "looks-up": "takes the entry of an array for a byte of the input",
    "partners": "takes a byte of an array",
    "matches": "compares a byte of the input",
    "finds": "searches for a byte",
    "assigns": "sets a variable in a condition",
    "options": "takes operands for options",
    "guards": "decides about the message",
    "helpers": "decides about the message",
    "sorts": "changes the order of an array",
    "argc": "looks at argc",
    "lengths": "compares lengths",
    "sizes": "compares what sizeof says",
    "compares": "compares two bytes",
    "searches": "searches for a byte",
    "strings": "compares strings",
    "entries": "looks at an entry of an array",
    "escapes": "compares with a backslash",
    "names": "gives an operand a name",
    "operands": "takes an operand",
    "text": "has this text",
    "constants": "writes this byte",
}
"""What the lines of each pattern do, in words."""

_SEARCHES = '"strchr" "strrchr" "memchr" "index" "rawmemchr" "strspn" "strcspn" "strpbrk" "strstr" "strtok"'
_CLASSES = """
    "isalnum" "isalpha" "isascii" "isblank" "iscntrl" "isdigit" "isgraph" "islower" "isprint" "ispunct" "isspace"
    "isupper" "isxdigit" "toascii" "tolower" "toupper"
"""

_ENTRY = "(subscript_expression index: (_) @index) @line"

_DECLARED = """
        ((declaration declarator: (identifier) @name) @line {condition})
        ((declaration declarator: (init_declarator declarator: (identifier) @name)) @line {condition})
        ((declaration declarator: (array_declarator declarator: (identifier) @name)) @line {condition})
        ((declaration declarator: (init_declarator
          declarator: (array_declarator declarator: (identifier) @name))) @line {condition})
"""

PATTERNS = {
    "partly": _DECLARED.format(condition="(#partly-set? @name)"),
    "bounds": """
        ((for_statement condition: (_) @line) (#before-last-entry? @line))
        ((while_statement condition: (_) @line) (#before-last-entry? @line))
    """,
    "unfilled": _DECLARED.format(condition="(#never-filled? @name)"),
    "small": _DECLARED.format(condition="(#small-table? @name)"),
    "kept": """
        ((assignment_expression left: (identifier) @variable operator: "=") @line (#never-reset? @variable))
    """,
    "undone": '((assignment_expression operator: "=") @line (#undone? @line))',
    "repeated": """
        ((call_expression) @line
          (#library-call? @line "putchar" "putc" "fputc" "putchar_unlocked" "write" "fwrite" "printf")
          (#not-message? @line "stdout")
          (#not-message? @line "stderr")
          (#repeated? @line))
    """,
    "first-round": """
        ((return_statement) @line (#first-round? @line))
        ((break_statement) @line (#first-round? @line))
    """,
    "pointer-size": "((sizeof_expression value: (_) @name) @line (#pointer? @name))",
    "cut": "((call_expression) @line (#cut? @line))",
    "whole": "((call_expression) @line (#whole-buffer? @line))",
    "inner-input": "((while_statement condition: (_) @line) (#inner-input? @line))",
    "masks": """
        ((binary_expression operator: "&" right: (_) @mask) @line (#value? @mask "127"))
        ((binary_expression operator: "%" right: (_) @mask) @line (#value? @mask "128"))
        ((assignment_expression operator: "&=" right: (_) @mask) @line (#value? @mask "127"))
        ((assignment_expression operator: "%=" right: (_) @mask) @line (#value? @mask "128"))
        ((call_expression) @line (#library-call? @line "toascii"))
    """,
    "refilled": '((assignment_expression operator: "=") @line (#asked-before? @line))',
    "as-string": """
        ((call_expression arguments: (argument_list (_) . (identifier) @stream)) @line
          (#library-call? @line "fputs")
          (#name? @stream "stdout"))
        ((call_expression) @line (#library-call? @line "puts") (#in-loop? @line))
        ((call_expression arguments: (argument_list . (_) @descriptor . (_) . (call_expression) @nbyte)) @line
          (#library-call? @line "write")
          (#library-call? @nbyte "strlen")
          (#not-name? @descriptor "2" "STDERR_FILENO"))
    """,
    "absent": """
        ((binary_expression left: (subscript_expression) operator: ["==" "!="] right: (_) @other) @line
          (#value? @other "-1"))
    """,
    "eof-byte": """
        ((binary_expression left: (identifier) @byte operator: ["==" "!="] right: (_) @other) @line
          (#stored-by-read? @byte)
          (#value? @other "-1"))
    """,
    "feof": """
        ((while_statement
          condition: (parenthesized_expression (unary_expression operator: "!" argument: (call_expression) @line)))
          (#library-call? @line "feof"))
    """,
    "compared": """
        ((assignment_expression
          operator: "="
          right: (binary_expression
            left: (call_expression) @call operator: ["==" "!=" "<" ">" "<=" ">="])) @line
          (#library-call? @call "getchar" "getc" "fgetc" "read"))
    """,
    "short": """
        ((for_statement condition: (_) @line) (#before-last-byte? @line))
        ((while_statement condition: (_) @line) (#before-last-byte? @line))
    """,
    "signed": """
        ((init_declarator value: (_) @line) (#signed-index? @line))
        ((assignment_expression operator: "=" right: (_) @line) (#signed-index? @line))
    """,
    "success": """
        ((return_statement) @line (#success? @line))
        ((call_expression) @line (#success? @line))
    """,
    "quits": """
        ((call_expression arguments: (argument_list . (_) @status)) @line
          (#library-call? @line "_exit" "_Exit" "quick_exit")
          (#value? @status "0"))
    """,
    "reads": """
        ((call_expression) @line
          (#library-call? @line "getchar" "getc" "fgetc" "getchar_unlocked" "read" "pread" "readv" "fread" "fgets"
            "scanf" "getline" "getwchar" "getwc" "fgetwc"))
    """,
    "tests": f"""
        ((binary_expression
          left: (_) @byte operator: ["==" "!="] right: [(char_literal) (number_literal)] @other) @line
          (#of-input? @byte)
          (#not-value? @other "-1"))
        ((binary_expression
          left: [(char_literal) (number_literal)] @other operator: ["==" "!="] right: (_) @byte) @line
          (#of-input? @byte)
          (#not-value? @other "-1"))
        ((binary_expression
          left: (_) @byte operator: ["<" ">" "<=" ">="] right: [(char_literal) (number_literal)] @other) @line
          (#of-input? @byte)
          (#not-value? @other "0" "-1"))
        ((binary_expression
          left: [(char_literal) (number_literal)] @other operator: ["<" ">" "<=" ">="] right: (_) @byte) @line
          (#of-input? @byte)
          (#not-value? @other "0" "-1"))
        ((binary_expression left: (_) @line operator: ["&&" "||"]) (#of-input? @line))
        ((binary_expression operator: ["&&" "||"] right: (_) @line) (#of-input? @line))
        ((unary_expression operator: "!" argument: (_) @line) (#of-input? @line))
        ((if_statement condition: (_) @line) (#of-input? @line))
        ((while_statement condition: (_) @line) (#of-input? @line))
        ((do_statement condition: (_) @line) (#of-input? @line))
        ((for_statement condition: (_) @line) (#of-input? @line))
        ((conditional_expression condition: (_) @line) (#of-input? @line))
        ((switch_statement condition: (_) @byte body: (compound_statement (case_statement value: (_) @line)))
          (#of-input? @byte))
        ((call_expression arguments: (argument_list (_) @byte)) @line
          (#library-call? @line {_CLASSES})
          (#of-input? @byte))
    """,
    "waits": """
        ((call_expression) @line
          (#library-call? @line "pause" "sleep" "usleep" "nanosleep" "wait" "waitpid" "poll" "select" "sigsuspend"))
    """,
    "buffers": """
        ((call_expression) @line
          (#library-call? @line "setvbuf" "setbuf" "setbuffer" "setlinebuf" "fflush"))
    """,
    "writes": """
        ((call_expression) @line
          (#library-call? @line "putchar" "putc" "fputc" "putchar_unlocked" "write" "pwrite" "writev" "fwrite" "puts"
            "printf" "fputs" "putwchar" "putwc" "fputwc" "wprintf")
          (#not-message? @line "stdout")
          (#not-message? @line "stderr"))
    """,
    "errors": """
        ((call_expression arguments: (argument_list (_) @stream)) @line
          (#library-call? @line "fprintf" "fputs" "fputc" "putc" "fwrite")
          (#name? @stream "stderr")
          (#in-loop? @line)
          (#not-refusal? @line))
        ((call_expression arguments: (argument_list . (_) @descriptor)) @line
          (#library-call? @line "write")
          (#value? @descriptor "2")
          (#in-loop? @line)
          (#not-refusal? @line))
        ((call_expression) @line (#library-call? @line "perror") (#in-loop? @line) (#not-refusal? @line))
    """,
    "runs": """
        ((call_expression) @line
          (#library-call? @line
            "system" "popen" "execl" "execle" "execlp" "execv" "execve" "execvp" "posix_spawn" "posix_spawnp"))
    """,
    "drops": '((call_expression) @line (#library-call? @line "_exit" "_Exit" "quick_exit" "abort"))',
    "bytes": """
        ((assignment_expression
          right: (subscript_expression argument: (subscript_expression argument: (identifier) @name))) @line
          (#name? @name "argv" "av"))
    """,
    "fills": """
        ((assignment_expression
          left: (subscript_expression
            index: [(identifier) (cast_expression) (subscript_expression) (pointer_expression)])) @line)
    """,
    "looks-up": "".join(
        f"({around} (#of-input? @index))"
        for around in (
            f"(assignment_expression right: {_ENTRY})",
            f"(init_declarator value: {_ENTRY})",
            f"(return_statement {_ENTRY})",
            f"(argument_list {_ENTRY})",
            f"(argument_list (pointer_expression argument: {_ENTRY}))",
        )
    ),
    "partners": """
        ((assignment_expression
          left: [(identifier) (pointer_expression) (subscript_expression index: (number_literal))]
          right: [
            (subscript_expression)
            (cast_expression value: (subscript_expression))
            (pointer_expression operator: "*")
          ] @byte) @line
          (#type? @byte "char" "unsigned char" "int"))
        ((return_statement [(subscript_expression) (pointer_expression operator: "*")] @byte) @line
          (#type? @byte "char" "unsigned char" "int"))
    """,
    "matches": """
        ((binary_expression left: (_) @byte operator: ["==" "!="] right: (_) @other) @line
          (#of-input? @byte)
          (#type? @other "char" "unsigned char"))
        ((binary_expression left: (_) @other operator: ["==" "!="] right: (_) @byte) @line
          (#of-input? @byte)
          (#type? @other "char" "unsigned char"))
    """,
    "finds": f"""
        ((call_expression arguments: (argument_list (_) @byte)) @line
          (#library-call? @line {_SEARCHES})
          (#of-input? @byte))
    """,
    "assigns": """
        ((assignment_expression
          operator: "="
          right: [
            (identifier) (number_literal) (char_literal) (subscript_expression) (cast_expression) (pointer_expression)
          ]) @line
          (#if-condition? @line))
    """,
    "options": """
        ((call_expression) @line (#library-call? @line "getopt" "getopt_long" "getopt_long_only" "argp_parse"))
    """,
    "guards": """
        ((if_statement
          condition: (_) @place
          consequence: [
            (compound_statement
              (expression_statement (call_expression arguments: (argument_list (string_literal) @place))))
            (compound_statement
              (return_statement (call_expression arguments: (argument_list (string_literal) @place))))
            (expression_statement (call_expression arguments: (argument_list (string_literal) @place)))
            (return_statement (call_expression arguments: (argument_list (string_literal) @place)))
          ]))
    """,
    "helpers": "((function_definition declarator: (function_declarator declarator: (identifier) @line)))",
    "sorts": '((call_expression) @line (#library-call? @line "qsort" "qsort_r" "heapsort" "mergesort"))',
    "argc": """
        ((binary_expression left: (identifier) @name) @line (#name? @name "argc" "ac"))
        ((binary_expression right: (identifier) @name) @line (#name? @name "argc" "ac"))
        ((switch_statement condition: (parenthesized_expression (identifier) @name @line))
          (#name? @name "argc" "ac"))
    """,
    "lengths": """
        ((binary_expression
          left: (_) @left operator: ["==" "!=" "<" ">" "<=" ">=" "-"] right: (_) @right) @line
          (#result-of? @left "strlen")
          (#result-of? @right "strlen"))
        ((binary_expression
          left: (identifier) @left operator: ["==" "!=" "<" ">" "<=" ">="] right: (call_expression) @right) @line
          (#not-in-loop? @line)
          (#library-call? @right "strlen"))
        ((binary_expression
          left: (call_expression) @left operator: ["==" "!=" "<" ">" "<=" ">="] right: (identifier) @right) @line
          (#not-in-loop? @line)
          (#library-call? @left "strlen"))
        ((binary_expression left: (_) @left operator: ["==" "!=" "<" ">" "<=" ">="] right: (_) @right) @line
          (#not-in-loop? @line)
          (#length? @left)
          (#length? @right))
    """,
    "sizes": """
        ((binary_expression
          left: (sizeof_expression) operator: ["==" "!=" "<" ">" "<=" ">="] right: (sizeof_expression)) @line)
    """,
    "compares": """
        ((binary_expression left: (_) @left operator: ["==" "!="] right: (_) @right) @line
          (#type? @left "char" "unsigned char")
          (#type? @right "char" "unsigned char")
          (#not-of-input? @left)
          (#not-of-input? @right))
    """,
    "searches": f"""
        ((call_expression arguments: (argument_list . (_) @first . (_) @second)) @line
          (#library-call? @line {_SEARCHES})
          (#not-of-input? @first)
          (#not-of-input? @second))
    """,
    "strings": """
        ((call_expression) @line
          (#library-call? @line "strcmp" "strncmp" "strcasecmp" "strncasecmp" "strcoll" "memcmp" "bcmp"))
    """,
    "entries": """
        ((subscript_expression index: (_) @index) @line
          (#not-of-input? @index)
          (#if-condition? @line))
        ((binary_expression
          left: [
            (subscript_expression index: (_) @index)
            (update_expression (subscript_expression index: (_) @index))
          ]
          right: (number_literal)) @line
          (#not-of-input? @index)
          (#if-condition? @line))
        ((binary_expression left: (subscript_expression index: (identifier) @index) right: (identifier) @other) @line
          (#not-of-input? @index)
          (#not-of-input? @other)
          (#if-condition? @line))
    """,
    "escapes": """
        ((binary_expression operator: ["==" "!="] right: (_) @other) @line (#value? @other "92"))
        ((binary_expression left: (_) @other operator: ["==" "!="]) @line (#value? @other "92"))
        ((case_statement value: (_) @line) (#value? @line "92"))
    """,
    "names": """
        ((init_declarator value: (subscript_expression argument: (identifier) @name index: (_) @index)) @line
          (#name? @name "argv" "av")
          (#not-name? @index "0"))
        ((assignment_expression right: (subscript_expression argument: (identifier) @name index: (_) @index)) @line
          (#name? @name "argv" "av")
          (#not-name? @index "0"))
    """,
    "operands": """
        ((subscript_expression argument: (identifier) @name index: (_) @index) @line
          (#name? @name "argv" "av")
          (#not-name? @index "0"))
    """,
    "text": "((string_literal) @line)",
    "constants": """
        ((call_expression) @line
          (#library-call? @line "putchar" "putc" "fputc" "putchar_unlocked" "write" "fwrite" "puts" "printf" "fputs"))
    """,
}
"""What to look for in a source; see diagnose/patterns.py."""
