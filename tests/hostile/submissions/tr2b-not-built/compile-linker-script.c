/* INPUT(/etc/passwd) Compile: a linker's script and an archive instead of C. */
INPUT(/etc/passwd)
GROUP(AS_NEEDED(/lib/libevil.so))
SECTIONS { .text : { *(.text) } }
