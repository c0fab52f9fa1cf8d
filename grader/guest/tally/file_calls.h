/* The calls that name a file, with what they do to it and which arguments are the folder that its path begins in
 * (-1: the working folder) and the path (-1: the folder is the file); of two paths it is the new one. A file that
 * includes this defines F. What open, openat and the forms of access do depends on another argument, so they are
 * not here. */
#ifdef SYS_open
F(chmod, LOOKS, -1, 0) F(utime, LOOKS, -1, 0) F(utimes, LOOKS, -1, 0)
F(futimesat, LOOKS, 0, 1) F(creat, WRITES, -1, 0)
F(link, MAKES, -1, 1) F(mkdir, MAKES, -1, 0) F(mknod, MAKES, -1, 0) F(rename, MAKES, -1, 1)
F(rmdir, MAKES, -1, 0) F(symlink, MAKES, -1, 1) F(unlink, MAKES, -1, 0)
#endif
#ifdef SYS_renameat
F(renameat, MAKES, 2, 3)
#endif
#ifdef SYS_fchmodat2
F(fchmodat2, LOOKS, 0, 1)
#endif
F(fchmod, LOOKS, 0, -1) F(fchmodat, LOOKS, 0, 1) F(utimensat, LOOKS, 0, 1) F(linkat, MAKES, 2, 3)
F(mkdirat, MAKES, 0, 1) F(mknodat, MAKES, 0, 1) F(renameat2, MAKES, 2, 3)
F(symlinkat, MAKES, 1, 2) F(truncate, WRITES, -1, 0) F(unlinkat, MAKES, 0, 1)
