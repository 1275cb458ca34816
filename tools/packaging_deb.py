"""A Debian package, by dpkg-deb alone: what it depends on is what dpkg-shlibdeps finds in the programs."""
import gzip
import os
import re
import shutil
import time

from packaging_tree import PROGRAMS, TOP, date_all, install, libraries, loaded, maintainer, run, write

CONTROL = """Package: tetherline
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {libraries}, ca-certificates, tzdata, systemd | systemd-standalone-sysusers | systemd-sysusers
Section: graphics
Priority: optional
Description: gets every frame off a Wi-Fi camera, once, whatever the network does
 While the photographer shoots, tetherline fetches each photo over Wi-Fi
 (PTP/IP), writes it safely to disk, and delivers it once to a gallery, an S3
 bucket, a WebDAV, FTP or SFTP server, or a folder.
 .
 The package has three programs: tetherline, the bridge between cameras and
 destinations; gallery, a server that shows photos to guests as they are taken;
 and camsim, a Wi-Fi camera in software for rehearsals. The first two come with
 units of systemd; no service is started before it is set up.
"""

# What runs goes on as it is when the package is upgraded: an evening is not the moment. No home is made or touched.
POSTINST = """#!/bin/sh
set -e
if [ "$1" = configure ]; then
    systemd-sysusers tetherline.conf
    if [ -d /run/systemd/system ]; then systemctl --system daemon-reload || true; fi
    # At the first installation only; an upgrade needs no words.
    if [ -z "$2" ]; then
        echo "tetherline: 'tetherline setup' asks for camera and destination, and tries them with a photo."
        echo "tetherline: a machine that works by itself: /usr/share/doc/tetherline/README.Debian"
    fi
fi
"""

PRERM = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    deb-systemd-invoke stop tetherline-hud.socket tetherline.service gallery.service || true
fi
"""

# Photos are never this package's to delete.
POSTRM = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl --system daemon-reload || true; fi
if [ "$1" = purge ]; then
    if command -v deb-systemd-helper >/dev/null; then
        deb-systemd-helper purge tetherline-hud.socket tetherline.service gallery.service >/dev/null || true
    fi
    for home in /var/lib/tetherline /var/lib/gallery /var/lib/private/gallery; do
        rmdir --ignore-fail-on-non-empty "$home" 2>/dev/null || true
        if [ -d "$home" ] && [ ! -L "$home" ]; then echo "tetherline: photos and settings stay in $home"; fi
    done
fi
"""

README_DEBIAN = """Tetherline on Debian
====================

By hand, on a photographer's laptop:

    tetherline setup        asks for the camera and where photos go, and tries both with a photo
    tetherline run          from then on

The same as a service of one's own account, which goes on without a log-in:

    systemctl --user enable --now tetherline
    loginctl enable-linger

A machine that works by itself has a user of its own, tetherline, with its home in /var/lib/tetherline. The service does
not start before there are settings:

    sudo install -d -o tetherline -g tetherline -m 700 /var/lib/tetherline
    sudo -u tetherline tetherline setup --home /var/lib/tetherline
    sudo systemctl enable --now tetherline

The bridge's page in a browser, at 127.0.0.1:8420, where systemd listens (another address: systemctl edit
tetherline-hud.socket):

    sudo systemctl stop tetherline
    sudo systemctl enable --now tetherline-hud.socket
    sudo systemctl start tetherline
    sudo cat /var/lib/tetherline/hud.url

A gallery for guests, on this machine:

    sudo systemctl enable --now gallery
    journalctl -u gallery   has the code for its first account

When photos do not come: tetherline doctor. Every command and setting: man tetherline, and the examples in
/usr/share/doc/tetherline/examples. What is removed or purged takes no photo and no settings with it.
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tetherline
Comment: The programs have the runtime of Swift inside.

Files: *
Copyright: 2026 the authors of Tetherline
License: all-rights-reserved
 The source comes without a licence text of its own: ask its authors.

Files: usr/bin/*
Copyright: 2014-2026 Apple Inc. and the Swift project authors, as far as the runtime of Swift is concerned
License: Apache-2.0-with-Runtime-Library-Exception
 Swift's runtime is licensed under the Apache License, Version 2.0, whose text is in
 /usr/share/common-licenses/Apache-2.0, with the Runtime Library Exception: a program
 that has parts of the runtime inside only because it was compiled may be given away
 without the attribution that sections 4(a), 4(b) and 4(d) of that licence ask for.
"""


def change_log(version, moment):
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(moment))
    return f"tetherline ({version}) unstable; urgency=medium\n\n  * Version {version}.\n\n -- {maintainer()}  {date}\n"


def dependencies(binaries, scratch):
    """dpkg-shlibdeps looks for a source package around it."""
    libraries(binaries)
    folder = os.path.join(scratch, "source")
    write(os.path.join(folder, "debian/control"), "Source: tetherline\n\nPackage: tetherline\nArchitecture: any\n")
    words = [word for binary in binaries for word in ("-e", binary)]
    found = run("dpkg-shlibdeps", "-O", *words, cwd=folder)
    linked = re.search(r"^shlibs:Depends=(.*)$", found, re.MULTILINE)[1]
    return ", ".join([linked, *sorted({package_of(path) for path in loaded().values()})])


def package_of(path):
    """The package of a library that is not linked, not older than here."""
    package = run("dpkg-query", "--search", os.path.realpath(path)).split(":")[0]
    version = run("dpkg-query", "--show", "--showformat=${source:Upstream-Version}", package)
    return f"{package} (>= {version})"


def pack(text, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(text.encode())
    os.chmod(path, 0o644)


def sums(tree):
    lines = []
    for folder, _, files in os.walk(tree):
        if folder == os.path.join(tree, "DEBIAN"):
            continue
        for name in files:
            path = os.path.join(folder, name)
            lines.append(f"{run('md5sum', path).split()[0]}  {os.path.relpath(path, tree)}\n")
    return "".join(sorted(lines, key=lambda line: line.split("  ")[1]))


def make(programs, scratch, target, version, moment):
    tree = os.path.join(scratch, "tree")
    install(programs, tree, "/usr", "--system-units", "/lib/systemd/system", "--user-units", "/usr/lib/systemd/user")
    doc = os.path.join(tree, "usr/share/doc/tetherline")
    write(os.path.join(doc, "copyright"), COPYRIGHT)
    write(os.path.join(doc, "README.Debian"), README_DEBIAN)
    pack(change_log(version, moment), os.path.join(doc, "changelog.gz"))
    shutil.copyfile(os.path.join(TOP, "README.md"), os.path.join(doc, "README.md"))
    control = os.path.join(tree, "DEBIAN")
    kibibytes = sum(-(-os.path.getsize(os.path.join(folder, name)) // 1024) for folder, _, files in os.walk(tree) for name in files)
    architecture = run("dpkg", "--print-architecture").strip()
    binaries = [os.path.join(tree, "usr/bin", program) for program in PROGRAMS]
    write(os.path.join(control, "control"), CONTROL.format(
        version=version, architecture=architecture, maintainer=maintainer(), size=kibibytes,
        libraries=dependencies(binaries, scratch)))
    write(os.path.join(control, "md5sums"), sums(tree))
    for name, text in (("postinst", POSTINST), ("prerm", PRERM), ("postrm", POSTRM)):
        write(os.path.join(control, name), text, 0o755)
    date_all(tree, moment)
    file = os.path.join(target, f"tetherline_{version}_{architecture}.deb")
    # One thread: how many there are must not show in the bytes.
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", tree, file)
    return f"{file}: apt install {file if file.startswith('/') else './' + file}"
