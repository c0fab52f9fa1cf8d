/* Escape: reads, changes and removes a file of the grader's whose path it knows, and its folder. */
#include "attack.h"

static void attack(void)
{
    /* The test puts the path in. */
    static const char file[] = "@CANARY@/file", folder[] = "@CANARY@", open_folder[] = "@CANARY@/open";
    MUST_FAIL(open(file, O_WRONLY));
    MUST_FAIL(truncate(file, 0));
    MUST_FAIL(unlink(file));
    MUST_FAIL(chmod(file, 0777));
    MUST_FAIL(rename(file, "file"));
    MUST_FAIL(link(file, "file"));
    MUST_FAIL(utimensat(AT_FDCWD, file, NULL, 0));
    MUST_FAIL(rmdir(open_folder));
    MUST_FAIL(rename(folder, "folder"));
    MUST_FAIL(open("@CANARY@/closed", O_RDONLY));
    MUST_FAIL(open("@CANARY@/new", O_WRONLY | O_CREAT, 0666));
}
