#!/usr/bin/env python3
"""Uploads by tuspy, a client of the tus protocol that knows nothing of this gallery, into a real one.

    tools/tus_judge.py     wants tuspy (tools/setup)

In pieces, with checksums, cut and resumed, with the server killed between two pieces and in the middle of one; each file becomes
one photo, byte for byte. So does one of a guest, whom a cookie tells from all others.
"""
import base64
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import bench_gallery as parts

PIECE = 40_000


class Wrong(Exception):
    pass


def expect(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def metadata(pairs):
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in pairs.items())


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Judge:
    def __init__(self, server, folder):
        from tusclient.client import TusClient

        self.server, self.folder, self.made = server, folder, 0
        self.client = TusClient(f"{self.base}/uploads/tus", headers=self.bearer)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def bearer(self):
        return {"Authorization": f"Bearer {self.server.token}"}

    # Files

    def picture(self):
        self.made += 1
        path = os.path.join(self.folder, f"picture {self.made}.jpg")
        subprocess.run(["convert", "-size", "900x600", "-seed", str(self.made), "plasma:", "-quality", "92", path], check=True)
        return path

    def uploader(self, path, **wishes):
        about = {"event": self.server.event["id"], "filename": os.path.basename(path), "filetype": "image/jpeg",
                 "lastModified": str(int(os.path.getmtime(path) * 1000))}
        return self.client.uploader(path, metadata=about, chunk_size=PIECE, retries=5, retry_delay=1, **wishes)

    # What has become of one

    def ask(self, address):
        return self.server.call("GET", address.removeprefix(self.base))

    def ended(self, address):
        end = time.monotonic() + 60
        while True:
            state = self.ask(address)
            if state["status"] not in ("pending", "processing"):
                return state
            expect(time.monotonic() < end, f"an upload does not come to its end: {state}")
            time.sleep(0.02)

    def photo(self, address, path, already=False):
        """It is a photo with these bytes; returns its id."""
        state = self.ended(address)
        expect(state["status"] == "completed", f"{os.path.basename(path)} became no photo: {state}")
        expect(state["isThereAlready"] is already, f"that it was there already is said wrongly: {state}")
        photo = self.server.call("GET", f"/photos/{state['photoId']}")
        expect(photo["sha256"] == digest(path) and photo["filename"] == os.path.basename(path), f"the photo is another: {photo}")
        with self.server.open("GET", f"/images/{photo['originalKey']}") as answer:
            expect(hashlib.sha256(answer.read()).hexdigest() == digest(path), "the original has other bytes")
        return photo["id"]

    def offset(self, address):
        import requests

        answer = requests.head(address, headers={"Tus-Resumable": "1.0.0", **self.bearer}, timeout=20)
        expect(answer.status_code == 200, f"HEAD was answered {answer.status_code}")
        expect(answer.headers["Tus-Resumable"] == "1.0.0" and answer.headers["Cache-Control"] == "no-store", f"{answer.headers}")
        return int(answer.headers["Upload-Offset"])

    def restart(self):
        """As a power cut does, but for the disk."""
        port = self.server.port
        self.server.process.kill()
        self.server.process.wait()
        self.server.start(port)

    # What is tried

    def in_pieces(self):
        path = self.picture()
        uploader = self.uploader(path, upload_checksum=True)
        expect(uploader.get_file_size() > 3 * PIECE, "the file is too small to come in pieces")
        uploader.upload()
        first = self.photo(uploader.url, path)
        again = self.uploader(path)
        again.upload()
        expect(self.photo(again.url, path, already=True) == first, "the same bytes are two photos")
        whole = self.client.uploader(path, metadata=again.metadata)
        whole.upload()
        expect(self.photo(whole.url, path, already=True) == first, "the same bytes at once are another photo")

    def killed_between(self):
        path = self.picture()
        uploader = self.uploader(path)
        uploader.upload_chunk()
        uploader.upload_chunk()
        self.restart()
        expect(self.offset(uploader.url) == 2 * PIECE, f"of two pieces {self.offset(uploader.url)} bytes are left")
        resumed = self.uploader(path, url=uploader.url)
        expect(resumed.offset == 2 * PIECE, "tuspy goes on from elsewhere")
        resumed.upload()
        self.photo(resumed.url, path)

    def begin(self, address, path, start, count):
        """A request whose body is not sent to its end."""
        with open(path, "rb") as file:
            file.seek(start)
            body = file.read(count)
        size = os.path.getsize(path) - start
        wire = socket.create_connection(("127.0.0.1", self.server.port))
        head = (f"PATCH {address.removeprefix(self.base)} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: {start}\r\n"
                f"Content-Type: application/offset+octet-stream\r\nContent-Length: {size}\r\n"
                f"Authorization: Bearer {self.server.token}\r\n\r\n")
        wire.sendall(head.encode() + body)
        return wire

    def held(self, address, start):
        """Waits until a second request is told that another brings bytes. What would get through is damaged, and does not count."""
        import requests

        headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": str(start), "Content-Type": "application/offset+octet-stream",
                   "Upload-Checksum": "sha1 " + base64.b64encode(hashlib.sha1(b"other").digest()).decode(), **self.bearer}
        end = time.monotonic() + 20
        while (answer := requests.patch(address, headers=headers, data=b"x", timeout=20)).status_code != 423:
            expect(answer.status_code == 460 and time.monotonic() < end, f"a second request is answered {answer.status_code}")

    def cut(self):
        path = self.picture()
        uploader = self.uploader(path)
        uploader.upload_chunk()
        wire = self.begin(uploader.url, path, PIECE, 30_000)
        self.held(uploader.url, PIECE)
        wire.close()
        end = time.monotonic() + 20
        while self.offset(uploader.url) == PIECE:
            expect(time.monotonic() < end, "what has come of a cut request does not count")
            time.sleep(0.02)
        expect(self.offset(uploader.url) == PIECE + 30_000, f"of 30,000 bytes {self.offset(uploader.url) - PIECE} count")
        # And once more, with the server killed meanwhile: what it has not acknowledged is gone, and no more.
        wire = self.begin(uploader.url, path, PIECE + 30_000, 20_000)
        self.held(uploader.url, PIECE + 30_000)
        self.restart()
        wire.close()
        expect(self.offset(uploader.url) == PIECE + 30_000, "a killed server counts what it had not kept")
        resumed = self.uploader(path, url=uploader.url)
        resumed.upload()
        self.photo(resumed.url, path)

    def refused(self):
        import requests

        path = self.picture()
        uploader = self.uploader(path)
        uploader.upload_chunk()
        headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": str(PIECE), "Content-Type": "application/offset+octet-stream",
                   "Upload-Checksum": "sha1 " + base64.b64encode(hashlib.sha1(b"other").digest()).decode(), **self.bearer}
        answer = requests.patch(uploader.url, headers=headers, data=b"these", timeout=20)
        expect(answer.status_code == 460 and self.offset(uploader.url) == PIECE, f"damaged bytes were answered {answer.status_code}")
        answer = requests.delete(uploader.url, headers={"Tus-Resumable": "1.0.0", **self.bearer}, timeout=20)
        expect(answer.status_code == 204, f"an upload's end was answered {answer.status_code}")
        answer = requests.head(uploader.url, headers={"Tus-Resumable": "1.0.0", **self.bearer}, timeout=20)
        expect(answer.status_code == 404, f"an upload that was ended is answered {answer.status_code}")

    def at_once(self):
        """What comes with its creation is a photo without another request."""
        import requests

        path = self.picture()
        with open(path, "rb") as file:
            body = file.read()
        pairs = {"event": self.server.event["id"], "filename": os.path.basename(path), "filetype": "image/jpeg"}
        answer = requests.post(f"{self.base}/uploads/tus", headers={
            "Tus-Resumable": "1.0.0", "Upload-Length": str(len(body)), "Upload-Metadata": metadata(pairs),
            "Content-Type": "application/offset+octet-stream", **self.bearer}, data=body, timeout=20)
        expect(answer.status_code == 201 and answer.headers["Upload-Offset"] == str(len(body)), f"{answer.status_code} {answer.text}")
        self.photo(f"{self.base}{answer.headers['Location']}", path)

    def counted(self):
        """Each file once, and nothing is left of the way they came."""
        event = self.server.call("GET", f"/events/{self.server.event['id']}")
        expect(event["counts"]["photos"] == self.made - 1, f"{self.made - 1} files are {event['counts']['photos']} photos")
        expect(event["counts"]["pending"] == 0 and event["counts"]["failed"] == 0, f"{event['counts']}")

    def of_a_guest(self):
        """Without an account: who began an upload goes on with it, and nothing else does, also after the server was killed."""
        import requests
        from tusclient.client import TusClient

        event = self.server.call("POST", "/events", {"name": "Brought", "allowsGuestUploads": True})
        place, path = f"/e/{event['slug']}/uploads/tus", self.picture()
        about = {"filename": os.path.basename(path), "filetype": "image/jpeg", "guest": "Ann"}
        # tuspy keeps no cookies: the first answer brings the one that each other request needs.
        begun = requests.post(f"{self.base}{place}", timeout=20, headers={
            "Tus-Resumable": "1.0.0", "Upload-Length": str(os.path.getsize(path)), "Upload-Metadata": metadata(about)})
        expect(begun.status_code == 201 and begun.headers["Tus-Resumable"] == "1.0.0", f"{begun.status_code} {begun.text}")
        expect(begun.headers["Location"].startswith(f"{place}/"), f"a guest's upload is at {begun.headers['Location']}")
        cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in begun.cookies.items())}
        address = f"{self.base}{begun.headers['Location']}"
        wishes = {"url": address, "chunk_size": PIECE, "upload_checksum": True, "retries": 5, "retry_delay": 1}
        client = TusClient(f"{self.base}{place}", headers=cookie)
        client.uploader(path, **wishes).upload_chunk()
        self.restart()
        for who, status in ((cookie, 200), ({}, 404), (self.bearer, 404)):
            answer = requests.head(address, headers={"Tus-Resumable": "1.0.0", **who}, timeout=20)
            expect(answer.status_code == status, f"with {list(who) or 'nothing'} a guest's upload is answered {answer.status_code}")
        resumed = client.uploader(path, **wishes)
        expect(resumed.offset == PIECE, f"of a guest's piece {resumed.offset} bytes are left")
        resumed.upload()
        end = time.monotonic() + 60
        while not (photos := self.server.call("GET", f"/events/{event['id']}/photos?waiting=true")["photos"]):
            expect(time.monotonic() < end, "what a guest has brought does not come to wait for the host")
            time.sleep(0.02)
        found = [(photo["sha256"], photo["guestName"], photo["pending"]) for photo in photos]
        expect(found == [(digest(path), "Ann", True)], f"what a guest has brought waits as {photos}")
        expect(not self.server.call("GET", f"/e/{event['slug']}/photos")["photos"], "guests see what their host has not decided on")

    def look(self):
        for part in (self.in_pieces, self.killed_between, self.cut, self.refused, self.at_once, self.counted, self.of_a_guest):
            part()
            print(f"tus_judge: {part.__name__}: as it should be", flush=True)


def main():
    try:
        import tusclient  # noqa: F401
    except ImportError:
        own = os.path.join(parts.TOP, ".build", "python", "bin", "python")
        if sys.executable == own or not os.access(own, os.X_OK):
            sys.exit("tus_judge: there is no tuspy here: tools/setup")
        os.execv(own, [own, *sys.argv])
    folder = tempfile.mkdtemp(prefix="tus-")
    server = parts.Server(folder)
    try:
        Judge(server, folder).look()
    except Wrong as wrong:
        sys.exit(f"tus_judge: {wrong}")
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
