"""What every kind of package has in common: the installed tree, the libraries of programs, and archives that are the
same each time."""
import gzip
import hashlib
import os
import re
import subprocess
import sys
import tarfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = ("tetherline", "gallery", "camsim")
# These belong to the system that a program runs on: they and its kernel and its names of hosts fit together.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nss_\w+|mvec))\.so")
# What the programs load by themselves, when they need it.
LOADED = ("libcurl.so.4", "libheif.so.1", "libmicrohttpd.so.12", "libpcap.so.0.8", "libpq.so.5", "libsystemd.so.0")


class Wrong(Exception):
    """Why there is no package, and what helps."""


def say(words):
    print(f"package: {words}", flush=True)


def run(*words, **more):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    except FileNotFoundError:
        raise Wrong(f"there is no {words[0]} here: tools/setup package installs it") from None
    if done.returncode:
        raise Wrong(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def epoch():
    said = os.environ.get("SOURCE_DATE_EPOCH")
    return int(said or run("git", "log", "-1", "--format=%ct", cwd=TOP))


def maintainer():
    """Whose the last commit is; it can be said as for all of Debian's tools."""
    name, mail = os.environ.get("DEBFULLNAME"), os.environ.get("DEBEMAIL")
    if name and mail:
        return f"{name} <{mail}>"
    return run("git", "log", "-1", "--format=%an <%ae>", cwd=TOP).strip()


def version_of(programs):
    words = run(os.path.join(programs, "tetherline"), "--version").split()
    return words[1]


def install(programs, destination, prefix="/usr", *more):
    run(os.path.join(TOP, "tools/install"), "--from", programs, "--destdir", destination, "--prefix", prefix, *more)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def date_all(top, moment):
    for folder, folders, files in os.walk(top, topdown=False):
        for name in [*files, *folders]:
            os.utime(os.path.join(folder, name), (moment, moment), follow_symlinks=False)
    os.utime(top, (moment, moment))


def loaded():
    """The libraries that the programs load, by name, with the file that each is here."""
    found = {}
    for line in run("/sbin/ldconfig", "-p").splitlines():
        # The first is the one that the loader takes.
        if (match := re.match(r"\s*(\S+) \(.*\) => (\S+)$", line)) and match[1] in LOADED and match[1] not in found:
            found[match[1]] = match[2]
    if missing := [name for name in LOADED if name not in found]:
        raise Wrong(f"the programs load {', '.join(missing)}, which is not here: tools/setup installs it")
    return found


def libraries(paths):
    """The shared libraries that programs need or load, by name, with the file that each is here."""
    found = loaded()
    for path in [*paths, *found.values()]:
        for line in run("ldd", path).splitlines():
            if match := re.match(r"\s*(\S+) => (/\S+) \(", line):
                found[match[1]] = match[2]
            elif match := re.match(r"\s*(/\S*/(ld-linux\S*)) \(", line):
                found[match[2]] = match[1]
            elif "not found" in line:
                raise Wrong(f"{path} needs what is not here: {line.strip()}")
    if swift := [name for name in found if name.startswith(("libswift", "lib_", "libFoundation", "libdispatch"))]:
        raise Wrong(
            f"the programs need {', '.join(sorted(swift))}: build them with swift build -c release --static-swift-stdlib")
    return dict(sorted(found.items()))


def add_tree(archive, top, moment, owner=lambda path: (0, 0), name=lambda path: path):
    """Everything below a folder, in one order and with nothing of this machine in it."""
    paths = []
    for folder, folders, files in os.walk(top):
        paths += [os.path.relpath(os.path.join(folder, one), top) for one in [*folders, *files]]
    for path in sorted(paths):
        entry = archive.gettarinfo(os.path.join(top, path), arcname=name(path))
        entry.mtime, (entry.uid, entry.gid), entry.uname, entry.gname = moment, owner(path), "", ""
        # One file is one entry: whether two names are one file depends on the machine.
        if entry.islnk():
            entry.type, entry.linkname = tarfile.REGTYPE, ""
            entry.size = os.path.getsize(os.path.join(top, path))
        if entry.isreg():
            with open(os.path.join(top, path), "rb") as file:
                archive.addfile(entry, file)
        else:
            archive.addfile(entry)


def compress(source, target):
    with open(source, "rb") as plain, open(target, "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed:
            while block := plain.read(1 << 20):
                packed.write(block)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    sys.exit("this is a part of tools/package")
