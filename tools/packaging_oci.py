"""An image of the gallery as an OCI layout (image-spec 1.0), written by hand: no daemon, no registry, no base image.

In it are the gallery, the libraries that it needs, certificates, time zones, and nothing else."""
import json
import os
import shutil
import tarfile
import tempfile
import time

from packaging_tree import add_tree, compress, libraries, run, sha256, write

# A number that no host gives to a person.
USER = 65532
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
FILES = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\ngallery:x:{USER}:{USER}:gallery:/var/lib/gallery:/sbin/nologin\n",
    "etc/group": f"root:x:0:\ngallery:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def root_of(program, root):
    """The file system of the image."""
    machine = f"{os.uname().machine}-linux-gnu"
    os.makedirs(os.path.join(root, "usr/bin"))
    for name in ("lib", "lib64"):
        os.makedirs(os.path.join(root, "usr", name))
        os.symlink(f"usr/{name}", os.path.join(root, name))
    run("strip", "-o", os.path.join(root, "usr/bin/gallery"), program)
    for name, path in libraries([program]).items():
        folder = "usr/lib64" if path.startswith("/lib64/") else f"usr/lib/{machine}"
        os.makedirs(os.path.join(root, folder), exist_ok=True)
        shutil.copyfile(path, os.path.join(root, folder, name))
        os.chmod(os.path.join(root, folder, name), 0o755)
    for path, text in FILES.items():
        write(os.path.join(root, path), text)
    certificates = os.path.join(root, "etc/ssl/certs/ca-certificates.crt")
    os.makedirs(os.path.dirname(certificates))
    shutil.copyfile("/etc/ssl/certs/ca-certificates.crt", certificates)
    shutil.copytree("/usr/share/zoneinfo", os.path.join(root, "usr/share/zoneinfo"), symlinks=True)
    for path, mode in (("tmp", 0o1777), ("proc", 0o755), ("var/lib/gallery", 0o700)):
        os.makedirs(os.path.join(root, path))
        os.chmod(os.path.join(root, path), mode)


def owner(path):
    return (USER, USER) if path == "var/lib/gallery" else (0, 0)


class Layout:
    """A folder of blobs, each by the sum of its bytes."""

    def __init__(self, top):
        self.blobs = os.path.join(top, "blobs/sha256")
        os.makedirs(self.blobs)
        write(os.path.join(top, "oci-layout"), '{"imageLayoutVersion": "1.0.0"}')

    def add(self, path, kind):
        digest, size = sha256(path), os.path.getsize(path)
        shutil.copyfile(path, os.path.join(self.blobs, digest))
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": size}

    def add_json(self, value, kind):
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump(value, file, sort_keys=True)
            file.flush()
            return self.add(file.name, kind)


def make(programs, scratch, target, version, moment):
    root, top = os.path.join(scratch, "root"), os.path.join(scratch, "layout")
    root_of(os.path.join(programs, "gallery"), root)
    plain, packed = os.path.join(scratch, "layer"), os.path.join(scratch, "layer.gz")
    with tarfile.open(plain, "w", format=tarfile.GNU_FORMAT) as archive:
        add_tree(archive, root, moment, owner)
    compress(plain, packed)
    layout = Layout(top)
    layer = layout.add(packed, "layer.v1.tar+gzip")
    architecture = ARCHITECTURES.get(os.uname().machine, os.uname().machine)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    config = layout.add_json({
        "created": created, "architecture": architecture, "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/gallery"], "Cmd": ["serve", "--listen", "0.0.0.0:8080"],
            "Env": ["PATH=/usr/bin", "STATE_DIRECTORY=/var/lib/gallery"], "WorkingDir": "/var/lib/gallery",
            "ExposedPorts": {"8080/tcp": {}}, "Volumes": {"/var/lib/gallery": {}}, "StopSignal": "SIGTERM",
            "Labels": {"org.opencontainers.image.title": "gallery", "org.opencontainers.image.version": version},
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(plain)}"]},
        "history": [{"created": created, "created_by": "tools/package oci"}],
    }, "config.v1+json")
    manifest = layout.add_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": [layer],
    }, "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    manifest["platform"] = {"architecture": architecture, "os": "linux"}
    write(os.path.join(top, "index.json"), json.dumps({"schemaVersion": 2, "manifests": [manifest]}, sort_keys=True))
    file = os.path.join(target, f"gallery-{version}-{architecture}.oci.tar")
    with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as archive:
        add_tree(archive, top, moment)
    return f"{file}: skopeo copy oci-archive:{file} docker://…, or podman load -i {file}"
