"""A folder that runs wherever it is unpacked, with the libraries that it needs beside it."""
import os
import shutil
import tarfile

from packaging_tree import OF_THE_SYSTEM, PROGRAMS, add_tree, compress, install, libraries, run, write

README = """Tetherline {version}: tetherline, gallery and camsim, for Linux on {machine} with glibc {glibc} or newer.

Nothing has to be installed: bin/tetherline --help begins, and MANPATH=share/man: man tetherline is the manual page.
The libraries in lib/ are Debian's; share/doc has their licences. https needs the system's certificates (on Debian, the
package ca-certificates); a gallery shows times by the system's time zones (tzdata).

As a service of your own account, with this folder in its place for good:

    mkdir -p ~/.config/systemd/user
    sed "s|/usr/local|$PWD|" lib/systemd/user/tetherline.service > ~/.config/systemd/user/tetherline.service
    systemctl --user daemon-reload
    systemctl --user enable --now tetherline
"""


def licences(paths, target):
    """Of the packages that the libraries came from."""
    for path in sorted(set(paths)):
        for candidate in (path, os.path.realpath(path)):
            owner = os.popen(f"dpkg -S '*{os.path.basename(candidate)}' 2>/dev/null").read()
            if owner:
                break
        name = owner.split(":")[0].split(",")[0] if owner else ""
        text = f"/usr/share/doc/{name}/copyright"
        if name and os.path.exists(text):
            os.makedirs(os.path.join(target, name), exist_ok=True)
            shutil.copyfile(text, os.path.join(target, name, "copyright"))


def make(programs, scratch, target, version, moment):
    machine, name = os.uname().machine, f"tetherline-{version}"
    tree = os.path.join(scratch, name)
    install(programs, os.path.join(scratch, "root"), "/usr/local")
    shutil.move(os.path.join(scratch, "root/usr/local"), tree)
    own = os.path.join(tree, "lib/tetherline")
    os.makedirs(own)
    binaries = [os.path.join(tree, "bin", program) for program in PROGRAMS]
    taken = {name: path for name, path in libraries(binaries).items() if not OF_THE_SYSTEM.match(name)}
    for library, path in taken.items():
        shutil.copyfile(path, os.path.join(own, library))
        # One that says itself where to look (libexiv2 does) would not look here.
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", os.path.join(own, library))
        os.chmod(os.path.join(own, library), 0o644)
    for binary in binaries:
        # The older kind of entry: it counts for what the libraries need in turn as well.
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib/tetherline", binary)
    licences(taken.values(), os.path.join(tree, "share/doc"))
    glibc = run("getconf", "GNU_LIBC_VERSION").split()[1]
    write(os.path.join(tree, "README"), README.format(version=version, machine=machine, glibc=glibc))
    plain = os.path.join(scratch, "tar")
    with tarfile.open(plain, "w", format=tarfile.GNU_FORMAT) as archive:
        add_tree(archive, tree, moment, name=lambda path: f"{name}/{path}")
    file = os.path.join(target, f"{name}-linux-{machine}.tar.gz")
    compress(plain, file)
    return f"{file}: runs where it is unpacked, with {len(taken)} libraries"
