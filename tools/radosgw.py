"""Ceph's S3 for tools/prove-ceph: one monitor, one OSD on a sparse file, one radosgw, on free ports and in one folder.

Debian's packages, and nothing of the cluster that this machine may be part of: what is in its usual folders is neither
read nor written. Only this machine reaches it, so it is without cephx.
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import storing

PACKAGES = ["ceph-mon", "ceph-osd", "ceph-common", "radosgw"]
PROGRAMS = ["ceph-mon", "ceph-osd", "monmaptool", "ceph", "radosgw-admin", "radosgw"]
# Half a minute where nothing else goes on.
PATIENCE = 180
# A sparse file: only what is written takes room.
BLOCK = 16 << 30
GATEWAY = "client.rgw"

CONFIGURATION = """\
[global]
fsid = {fsid}
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
mon host = v2:127.0.0.1:{monitor}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind port min = {first}
ms bind port max = {last}
admin socket =
pid file =
keyring = {folder}/keyring
run dir = {folder}
crash dir = {folder}/crash
log file = {folder}/log/$name
mon cluster log file = {folder}/log/cluster
mon data = {folder}/mon
mon data avail warn = 1
mon data avail crit = 0
mon allow pool size one = true
osd data = {folder}/osd
osd objectstore = bluestore
bluestore block size = {block}
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
rgw data = {folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:{gateway}
rgw thread pool size = 64
rgw gc obj min wait = 1
rgw gc processor period = 10
"""


def needs_ceph():
    """Installs it by name where it is missing: it is large, so tools/setup does not."""
    if all(shutil.which(name) for name in PROGRAMS):
        return
    words = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *PACKAGES]
    if os.geteuid() != 0:
        sys.exit(f"there is no Ceph here; as root: {' '.join(words)}")
    print(f"radosgw: {' '.join(words)}", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "-qq", "update"], words):
        if subprocess.run(command, env=environment, **quiet).returncode != 0:
            sys.exit(f"Ceph cannot be installed: {' '.join(command)}")


def dies_with_us():
    """Whatever kills this process, no daemon outlives it."""
    death_signal = 1
    ctypes.CDLL(None).prctl(death_signal, signal.SIGKILL)


class Ceph(storing.Endpoint):
    """A running cluster of one. Its files go with it."""

    def __init__(self, folder):
        self.folder = tempfile.mkdtemp(prefix="ceph-", dir=folder)
        self.configuration = os.path.join(self.folder, "ceph.conf")
        self.until = time.monotonic() + PATIENCE
        self.daemons = []
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        for name in ("mon", "osd", "rgw", "log", "crash"):
            os.mkdir(os.path.join(self.folder, name))
        fsid, disk = str(uuid.uuid4()), str(uuid.uuid4())
        monitor, gateway = storing.free_ports(2)
        # An OSD looks for its own ports, between these.
        first = 20_000 + os.getpid() % 8000
        with open(self.configuration, "w") as file:
            file.write(CONFIGURATION.format(
                fsid=fsid, monitor=monitor, gateway=gateway, first=first, last=first + 300, folder=self.folder,
                block=BLOCK))  # fmt: skip
        self.endpoint = f"http://127.0.0.1:{gateway}"
        monmap = os.path.join(self.folder, "monmap")
        self.once("monmaptool", "--create", "--fsid", fsid, "--addv", "a", f"[v2:127.0.0.1:{monitor}]", monmap)
        self.once("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap)
        self.daemon("ceph-mon", "-i", "a")
        number = self.once("ceph", "osd", "new", disk).strip()
        self.once("ceph-osd", "-i", number, "--mkfs", "--osd-uuid", disk)
        self.daemon("ceph-osd", "-i", number)
        # Waits for the OSD, and makes the pools.
        self.once(
            "radosgw-admin", "-n", GATEWAY, "user", "create", "--uid=desk", "--display-name=Desk",
            f"--access-key={storing.KEY_ID}", f"--secret-key={storing.SECRET}",
        )  # fmt: skip
        # It asks for cephx in spite of the file.
        self.daemon("radosgw", "-n", GATEWAY, "--auth-client-required=none", "--ms-mon-client-mode=crc")
        self.client = self.make_client()
        self.wait()

    def once(self, program, *words):
        """A program that ends by itself; what it says."""
        command = [program, "-c", self.configuration, *words]
        # No longer than all of it may take; no other cluster's configuration.
        left = max(1, self.until - time.monotonic())
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=self.surroundings, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=left, preexec_fn=dies_with_us)  # fmt: skip
        except subprocess.TimeoutExpired:
            self.leave(f"'{program} {' '.join(words)}' does not end")
        if done.returncode != 0:
            self.leave(f"'{program} {' '.join(words)}' ended with {done.returncode}: {done.stderr[-600:].strip()}")
        return done.stdout

    @property
    def surroundings(self):
        return {name: value for name, value in os.environ.items() if not name.startswith("CEPH_")}

    def daemon(self, program, *words):
        # A session of its own, so that Ctrl-C is ours, and they end in their order.
        with open(os.path.join(self.folder, "log", f"{program}.said"), "w") as said:
            self.daemons.append(subprocess.Popen(
                [program, "-c", self.configuration, "-f", *words], cwd=self.folder, env=self.surroundings,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
                preexec_fn=dies_with_us))  # fmt: skip

    def wait(self):
        from botocore.exceptions import BotoCoreError, ClientError

        while True:
            try:
                self.client.list_buckets()
                return
            except (BotoCoreError, ClientError) as error:
                dead = [one.args[0] for one in self.daemons if one.poll() is not None]
                if dead or time.monotonic() > self.until:
                    self.leave(f"{', '.join(dead) or 'radosgw'} does not start: {error}")
                time.sleep(0.2)

    def leave(self, why):
        ends = []
        for name in sorted(os.listdir(os.path.join(self.folder, "log"))):
            with open(os.path.join(self.folder, "log", name), errors="replace") as file:
                ends.append(f"{name}: {file.read()[-400:].strip()}")
        sys.exit(f"Ceph does not start: {why}\n" + "\n".join(ends))

    def version(self):
        return " ".join(self.once("ceph", "--version").split()[:3])

    def stop(self):
        for one in reversed(self.daemons):
            one.kill()
            one.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __exit__(self, *_):
        self.stop()
