"""The house of tools/prove-evening: what stands around the bridge on an evening, and what can be done to it.

Nothing here is Tetherline's own code: a relay that can be moved, shut or turned into a captive portal, rclone as the WebDAV
server, a small disk, and hashes of what really lies where.
"""
import hashlib
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import threading
import time

import proving

PORTAL_PAGE = b"<html><title>Free Wi-Fi</title><form>Room number</form></html>"
PASSWORD = "a password for an evening"


def wait_for(what, until, seconds=60):
    """Asks `until` again and again; what it gives is given on."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = until()
        if found:
            return found
        time.sleep(0.1)
    raise proving.Wrong(f"{what}: not within {seconds} s")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Front:
    """A port that leads to another one, until it is moved, shut, or answers everything itself as a captive portal."""

    def __init__(self, port):
        self.behind = port
        self.is_portal = False
        self.asked = []
        self.pairs = set()
        self.server = None
        self.open()

    def open(self):
        self.server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.server,), daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def move(self):
        """From now on it is at another port, and what was connected is cut."""
        self.close()
        self.open()

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.cut()

    def cut(self):
        for end in list(self.pairs):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # Its thread has closed it already.

    def portal(self, is_portal):
        self.is_portal = is_portal
        self.cut()

    def accept(self, server):
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            work = self.answer if self.is_portal else self.relay
            threading.Thread(target=work, args=(one,), daemon=True).start()

    def answer(self, one):
        """200 and a page for every request, and the connection ends."""
        self.pairs.add(one)
        try:
            one.settimeout(5)
            head = b""
            while b"\r\n\r\n" not in head and len(head) < 65536:
                more = one.recv(65536)
                if not more:
                    return
                head += more
            self.asked.append(head)
            one.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: "
                        + str(len(PORTAL_PAGE)).encode() + b"\r\n\r\n" + PORTAL_PAGE)
        except OSError:
            pass  # The client went away, as clients of portals do.
        finally:
            self.pairs.discard(one)
            one.close()

    def relay(self, one):
        try:
            other = socket.create_connection(("127.0.0.1", self.behind), 5)
        except OSError:
            one.close()
            return
        self.pairs |= {one, other}
        with selectors.DefaultSelector() as waiting:
            waiting.register(one, selectors.EVENT_READ, other)
            waiting.register(other, selectors.EVENT_READ, one)
            try:
                while self.pass_on(waiting):
                    pass
            except OSError:
                pass  # Cut: by us, or by an end.
        self.pairs -= {one, other}
        one.close()
        other.close()

    @staticmethod
    def pass_on(waiting):
        for key, _ in waiting.select():
            data = key.fileobj.recv(262144)
            if not data:
                return False
            key.data.settimeout(60)
            key.data.sendall(data)
        return True


class Contents:
    """The hashes of what lies in a folder. No file there is written twice, so each is read once."""

    def __init__(self, folder):
        self.folder = folder
        self.known = {}

    def __call__(self):
        found = []
        for path in proving.files_below(self.folder):
            if os.path.basename(path).startswith("."):
                continue
            try:
                facts = os.stat(path)
                mark = (path, facts.st_ino, facts.st_size, facts.st_mtime_ns)
                if mark not in self.known:
                    with open(path, "rb") as file:
                        self.known[mark] = hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                continue  # Got its own name meanwhile, or was taken away.
            found.append(self.known[mark])
        return found


class ShootingCamera(proving.Camera):
    """A camera whose own log tells how often its shutter was pressed, behind a front that can be moved."""

    def __init__(self, folder, *arguments):
        self.log = tempfile.mktemp(prefix="camsim-", suffix=".log", dir=folder)
        super().__init__(folder, *arguments, before=("sh", "-c", 'exec "$@" >>"$0"', self.log))
        # camsim counts all that fetch the card as clients, so the judge copies it past the front and at the end.
        self.front = Front(int(self.address.rsplit(":", 1)[1]))

    @property
    def shots(self):
        with open(self.log) as file:
            return file.read().count("photo taken")


class WebDAV:
    """rclone in front of a folder, behind a front."""

    program = os.path.join(proving.TOP, ".build", "python", "bin", "rclone")

    def __init__(self, folder):
        self.folder = os.path.join(folder, "webdav")
        os.makedirs(os.path.join(self.folder, "frames"))
        port = free_port()
        words = [self.program, "serve", "webdav", self.folder, "--addr", f"127.0.0.1:{port}", "--user", "desk", "--pass", PASSWORD]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("rclone's WebDAV server", lambda: is_listening(port))
        self.front = Front(port)

    @property
    def url(self):
        return f"webdav://desk@{self.front.address}/frames"


def is_listening(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Gallery:
    """`gallery serve` on one port, however often it is started."""

    program = os.path.join(proving.BIN, "gallery")
    email = "ann@example.org"

    def __init__(self, folder):
        self.folder = folder
        self.data = os.path.join(folder, "gallery")
        self.password = os.path.join(folder, "password")
        with open(self.password, "w") as file:
            file.write(PASSWORD + "\n")
        os.chmod(self.password, 0o600)
        self.said = os.path.join(folder, "gallery.log")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.command("user", "add", self.email, "--password-file", self.password)
        self.start()

    def command(self, *words):
        done = subprocess.run([self.program, *words, "--data", self.data], capture_output=True, text=True)
        if done.returncode != 0:
            raise proving.Wrong(f"gallery {' '.join(words)}: {proving.reason(done.stderr or done.stdout)}")
        return done.stdout

    def start(self):
        words = [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.data]
        with open(self.said, "a") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)
        wait_for("the gallery", lambda: is_listening(self.port))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


class SmallDisk:
    """A disk of its own for the home, so that it can be full without another one's being full."""

    def __init__(self, folder, size):
        self.folder = os.path.join(folder, "disk")
        os.mkdir(self.folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.folder], check=True)

    @property
    def balloon(self):
        return os.path.join(self.folder, "balloon")

    def fill(self):
        with open(self.balloon, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
            except OSError:
                pass  # Full, as was wanted.

    def empty(self):
        os.remove(self.balloon)

    def close(self):
        subprocess.run(["umount", "-l", self.folder], check=False)
