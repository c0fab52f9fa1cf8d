"""Prepare grader.pyz before PEX takes over: find a Python and a folder to unpack to, and explain failures.

PEX runs this in both processes of a first start, and in one process of every later start. Without it a Python that is
too old, a full disk, or a home that cannot be written would end in a traceback and exit status 1, which for
`grader check` means that a check failed. scripts/make_pyz.py adds the call of `prepare`. Every Python, however old,
must be able to read this file, and it must be fast.
"""

import errno
import os
import stat
import sys
import warnings

BROKEN, INTERRUPTED = 3, 130
UNPACKED = "80 MB"
PRIVATE = stat.S_IFDIR | 0o700
FULL = (errno.ENOSPC, errno.EDQUOT)


def prepare(pythons, machines):
    """Continue with a Python that this file has packages for and set PEX_ROOT, or end.

    `pythons`: pairs of numbers, the oldest first. `machines`: names as in uname.
    """
    expect_machine(machines)
    expect_python(pythons)
    expect_libc()
    sys.excepthook = explain
    # PEX warns about problems that it repairs itself, such as the remains of an interrupted start.
    warnings.simplefilter("ignore")
    os.environ["PEX_ROOT"] = os.environ.get("PEX_ROOT") or cache()


def end(words):
    """End with exit status 3: nothing was judged."""
    sys.stderr.write("grader: {}\n".format(words))
    sys.exit(BROKEN)


def expect_machine(machines):
    """End if no package in this file can run on this machine."""
    if not sys.platform.startswith("linux"):
        end("this file is for Linux. Here, install the wheel with pipx, which works with Docker: docs/install.md")
    if os.uname()[4] not in machines:
        end("this file is for {}, this machine is {}: use pipx instead".format(" and ".join(machines), os.uname()[4]))


def expect_python(pythons):
    """If this Python is too old or too new, continue as another one from PATH that fits."""
    if sys.version_info[:2] in pythons and "PyPy" not in sys.version:
        return
    for path in find_pythons(pythons):
        if fits(path, pythons):
            os.execv(path, [path, os.path.dirname(os.path.abspath(__file__))] + sys.argv[1:])  # noqa: S606
    named = ", ".join("{}.{}".format(*version) for version in pythons)
    end("this file needs CPython {}; {} is {}".format(named, sys.executable, sys.version.split()[0]))


def find_pythons(pythons):
    """Yield the paths of suitable Pythons in PATH, the newest first."""
    for version in reversed(pythons):
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
            path = os.path.join(folder, "python{}.{}".format(*version))
            if os.path.isabs(path) and os.access(path, os.X_OK):
                yield path


def fits(path, pythons):
    """Return whether a program is the Python of its name: some version managers install ones that print a hint."""
    import subprocess  # noqa: PLC0415 - most starts need none

    test = "import sys; sys.exit(sys.version_info[:2] not in {} or 'PyPy' in sys.version)".format(pythons)
    with open(os.devnull, "w") as nowhere:
        try:
            return subprocess.call([path, "-c", test], stdout=nowhere, stderr=nowhere) == 0
        except OSError:
            return False


def expect_libc():
    """End if this is not the C library that the compiled packages need."""
    try:
        os.confstr("CS_GNU_LIBC_VERSION")
    except ValueError:
        end("this file needs the GNU C library, which this system does without: use pipx instead")


def cache():
    """Return the folder to unpack to: in the user's cache, or else among the temporary files."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "iolab-grader", "pyz")
    return folder if os.path.isabs(folder) and made_ours(folder) else private_temporary()


def made_ours(folder):
    """Make a folder that only we can write to, because its content is run; return whether that worked."""
    above = folder
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    try:
        # Under sudo, HOME can belong to another user: run nothing of theirs, and leave nothing there.
        if os.stat(above).st_uid != os.geteuid():
            return False
        for each in (os.path.dirname(os.path.dirname(folder)), os.path.dirname(folder), folder):
            if not os.path.isdir(each):
                os.makedirs(each, 0o700)
        return os.access(folder, os.W_OK | os.X_OK) and is_ours_alone(os.path.realpath(folder))
    except OSError:
        return False


def is_ours_alone(folder):
    """Return whether nobody else can write to a folder or replace it."""
    found = os.lstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return False
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        found = os.lstat(folder)
        everybodys = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
        if found.st_uid not in (0, os.geteuid()) or everybodys:
            return False
    return True


def private_temporary():
    """Return a folder that nobody else can have written to, because its content is run."""
    folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", "iolab-grader-{}".format(os.geteuid()))  # noqa: S108
    try:
        os.mkdir(folder, 0o700)
    except OSError as error:
        if error.errno != errno.EEXIST:
            end("no folder to unpack to, not even {}: {}. {}".format(folder, error.strerror, advice()))
    found = os.lstat(folder)
    if found.st_mode != PRIVATE or found.st_uid != os.geteuid():
        end("{} is not a folder that only you can write. {}".format(folder, advice()))
    return folder


def advice():
    """Return advice for a folder that cannot be used."""
    return "Name a folder of yours with {} free: PEX_ROOT=/FOLDER python3 {}".format(UNPACKED, file_name())


def file_name():
    """Return this file's name, which PEX knows after unpacking."""
    return os.path.basename(os.environ.get("PEX") or os.path.dirname(os.path.abspath(__file__)))


def explain(kind, error, trace):
    """Explain what ends the start: the last resort of both processes."""
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    if kind.__name__ == "BadZipFile" or kind.__module__ == "zlib":
        end("{} is damaged ({}): get it again".format(file_name(), error))
    if not issubclass(kind, OSError):
        sys.__excepthook__(kind, error, trace)
        end("it could not be unpacked; is {} whole? Get it again, or remove {}".format(file_name(), place()))
    if error.errno in FULL:
        end("no room to unpack to {}, it takes {}. Make room there. Or: {}".format(place(), UNPACKED, advice()))
    end("it could not be unpacked to {}: {}. {}".format(place(), error, advice()))


def place():
    """Return the folder to unpack to."""
    return os.environ.get("PEX_ROOT", "")
