/* The calls that make, remove or rename a file, or cut it, and which argument is its path; of two paths it is the new one.
 * A file that includes this defines F. A call that opens a file does so only with some flags, and is not here. */
#ifdef SYS_open
F(creat, 0) F(link, 1) F(mkdir, 0) F(mknod, 0) F(rename, 1) F(rmdir, 0) F(symlink, 1) F(unlink, 0)
#endif
#ifdef SYS_renameat
F(renameat, 3)
#endif
F(linkat, 3) F(mkdirat, 1) F(mknodat, 1) F(renameat2, 3) F(symlinkat, 2) F(truncate, 0) F(unlinkat, 1)
