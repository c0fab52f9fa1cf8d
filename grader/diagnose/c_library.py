"""What functions and names of the C library mean."""

from __future__ import annotations

BYTE_READS = ("getchar", "getc", "fgetc", "getchar_unlocked")
"""Functions that return a byte of the input, or EOF."""

READS = (*BYTE_READS, "read", "fread", "fgets", "getline", "scanf", "getwchar")
"""Functions that read input."""

EXITS = ("exit", "_exit", "_Exit")
"""Functions that end the program with an exit status."""

ENDS = (*EXITS, "abort")
"""Functions that end the program."""

STREAMS = {"STDIN_FILENO": 0, "STDOUT_FILENO": 1, "STDERR_FILENO": 2}
"""The descriptors that have names."""

DESCRIPTORS = {"read": (0,), "write": (1, 2)}
"""The descriptors that make sense for a call, the likeliest first."""

ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11}
"""The byte that each escape sequence means, by its letter."""
