#!/usr/bin/env python3
"""Holds the real gallery to the document that it serves: schemathesis asks what the document allows, and what it does not.

    tools/gallery_schema.py [CASES [SEED]]    at least so many requests, 300 by default; wants schemathesis (tools/setup)

With --database URL and --storage s3://… the gallery is a node with its rows in that database of PostgreSQL, in which there is
nothing yet, and its photos in that bucket, whose keys are in the environment; what is put to a bucket is not asked of the gallery.

The gallery has an account, an open event and one with a PIN, and photos in both, so that much of what is asked is answered with
something. Streams of events are left out, since they do not end, putting a logo, since no document describes a picture, and uploads of the tus
protocol, of hosts and of guests, whose headers follow from each other and have a judge of their own (tus_judge.py); deleting one's
account comes last, since nothing comes after it.
"""
import argparse
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(os.environ.get("TETHERLINE_BIN", os.path.join(FOLDER, ".build/release")), "gallery")
SCHEMATHESIS = os.environ.get("TETHERLINE_SCHEMATHESIS", os.path.join(FOLDER, ".build/python/bin/schemathesis"))
EMAIL, PASSWORD, PIN = "ann@example.org", "a password for a proof", "13579"
MOST_MEMORY = 80_000
# Longer than a picture takes, beside whatever else runs.
PATIENCE = 120


def fail(text):
    sys.exit(f"gallery_schema: {text}")


def png(number):
    """A picture of its own, with nothing but what every Python has."""
    width, height = 64, 48
    rows = b"".join(b"\0" + bytes((x * 4 + number * 7 + y * 5) % 256 for x in range(width * 3)) for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Refused(Exception):
    pass


class Gallery:
    def __init__(self, port, token=None):
        self.port, self.token, self.process = port, token, None
        # Where rows and photos are; in its own folder where nothing is said.
        self.rows, self.photos = [], []

    @classmethod
    def known(cls, known):
        """The same from another process."""
        return cls(known["port"], known["token"])

    @classmethod
    def started(cls, folder, database=None, storage=None):
        gallery = cls(None)
        gallery.rows = ["--database", database] if database else []
        gallery.photos = ["--storage", storage] if storage else []
        gallery.start(folder)
        return gallery

    def start(self, folder):
        self.data, port = os.path.join(folder, "data"), os.path.join(folder, "port")
        password = os.path.join(folder, "password")
        with open(password, "w") as file:
            file.write(PASSWORD + "\n")
        subprocess.run([PROGRAM, "user", "add", EMAIL, "--data", self.data, *self.rows, "--password-file", password],
                       check=True, stdout=subprocess.DEVNULL)
        self.log = os.path.join(folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", self.data, *self.rows, *self.photos, "--port-file", port],
                stdout=log, stderr=log)
        limit = time.monotonic() + 30
        while not os.path.exists(port):
            if self.process.poll() is not None or time.monotonic() > limit:
                fail(f"the gallery does not start: {self.log}")
            time.sleep(0.02)
        with open(port) as file:
            self.port = int(file.read())

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, target, body=None, headers=None, raw=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=20)
        sent = dict(headers or {})
        if self.token and raw is None:
            sent["Authorization"] = f"Bearer {self.token}"
        connection.request(method, target, raw if body is None else json.dumps(body), sent)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status >= 300:
            raise Refused(f"{method} {target}: {response.status} {text[:300]!r}")
        return json.loads(text)["data"] if text else None

    def login(self):
        self.token = None
        self.token = self.ask("POST", "/auth/login", {"email": EMAIL, "password": PASSWORD})["accessToken"]

    def upload(self, event, number):
        picture = png(number)
        place = self.ask("POST", "/uploads/presign", {
            "eventId": event, "contentType": "image/png", "contentLength": len(picture),
            "sha256": hashlib.sha256(picture).hexdigest(), "filename": f"picture {number}.png"})
        url = urllib.parse.urlsplit(place["putUrl"])
        self.ask("PUT", f"{url.path}?{url.query}", headers=place["requiredHeaders"], raw=picture, port=url.port)
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            state = self.ask("GET", f"/uploads/status?ids={place['uploadId']}")[0]
            if state["status"] == "completed":
                return place["uploadId"], self.ask("GET", f"/photos/{state['photoId']}")
            time.sleep(0.02)
        raise Refused(f"an upload does not come to an end: {state}")

    def furnish(self):
        """What there is to be found: for each event, by what it is."""
        self.login()
        self.ask("POST", "/consent", {"version": 1})
        return [self.furnish_event(wish) for wish in ({"name": "Open"}, {"name": "Closed", "pin": PIN})]

    def furnish_event(self, wish):
        event = self.ask("POST", "/events", {**wish, "allowsGuestUploads": True})
        known = {"event": [event["id"]], "slug": [event["slug"]], "upload": [], "photo": [], "key": [], "comment": [], "logo": []}
        for number in range(3):
            upload, photo = self.upload(event["id"], number)
            known["upload"].append(upload)
            known["photo"].append(photo["id"])
            known["key"] += [photo["thumbKey"], photo["originalKey"]]
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "image/png"}
        logo = self.ask("PUT", f"/events/{event['id']}/logo", headers=headers, raw=png(9))["logo"]["url"]
        known["logo"].append(logo.rpartition("/")[2])
        known["camera"] = [camera["id"] for camera in self.ask("GET", f"/events/{event['id']}/cameras")]
        self.ask("POST", f"/events/{event['id']}/albums", {"name": "Dances"})
        if "pin" not in wish:
            for photo in known["photo"]:
                written = self.ask("POST", f"/e/{event['slug']}/photos/{photo}/comments", {"name": "Bea", "text": "Lovely"})
                known["comment"].append(written["id"])
        return known

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

    def end(self):
        self.process.terminate()
        return self.process.wait(40)


SETTINGS = """
[checks]
# What is said with these is no fault of the request: no credits are left, or an event is over.
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "402", "403", "404", "409", "410", "412", "429"]
# Schemathesis's own list, and what is refused whatever the request says: no credits are left, or an event is over.
negative_data_rejection.expected-statuses = ["400", "401", "402", "403", "404", "405", "406", "409", "410", "415", "422", "428", "429", "5xx"]
"""


def run(gallery, folder, known, most, seed, *words):
    """One run of schemathesis; how many requests it made."""
    left_out = ["/live$", "/uploads/tus", *(["^/objects/"] if gallery.photos else [])]
    environment = dict(
        os.environ, SCHEMATHESIS_HOOKS="gallery_schema", PYTHONPATH=os.path.join(FOLDER, "tools"), PYTHONDONTWRITEBYTECODE="1",
        GALLERY_KNOWN=json.dumps({"events": known, "port": gallery.port, "token": gallery.token}))
    done = subprocess.run(
        [SCHEMATHESIS, "run", f"{gallery.url}/openapi.json", "--checks", "all", "--max-examples", str(most), "--seed", str(seed),
         "--exclude-path-regex", "|".join(left_out), "--exclude-name", "PUT /events/{id}/logo", "-H", f"Authorization: Bearer {gallery.token}", "--request-timeout", "20",
         "--continue-on-failure", "--suppress-health-check", "all", "--no-color", *words],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    count = re.search(r"(\d+) generated", done.stdout)
    if done.returncode != 0 or not count:
        print(done.stdout)
        fail(f"seed {seed}: what was answered is not what the document says, or schemathesis did not come to its end")
    return int(count[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="?", type=int, default=300)
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--database", metavar="URL")
    parser.add_argument("--storage", metavar="s3://BUCKET/PREFIX")
    arguments = parser.parse_args()
    cases, seed = arguments.cases, arguments.seed
    if seed is None:
        seed = random.randrange(1 << 32)
    if not os.access(SCHEMATHESIS, os.X_OK):
        fail("schemathesis is not installed: tools/setup")
    folder = tempfile.mkdtemp(prefix="gallery-schema-")
    with open(os.path.join(folder, "schemathesis.toml"), "w") as file:
        file.write(SETTINGS)
    gallery = Gallery.started(folder, arguments.database, arguments.storage)
    try:
        made = 0
        while made < cases:
            # What there was may have been deleted, and a token lives for a quarter of an hour.
            known = gallery.furnish()
            most = 2 if cases < 300 else 5 if cases < 1000 else 30
            made += run(gallery, folder, known, most, seed + made, "--exclude-name", "DELETE /me")
        made += run(gallery, folder, known, min(most, 5), seed, "--include-name", "DELETE /me")
        peak = gallery.peak()
    finally:
        code = gallery.end()
    with open(gallery.log) as file:
        complaints = [line for line in file if "request=" in line and " info " not in line]
    if code != 0 or complaints or peak > MOST_MEMORY:
        fail(f"it ended with {code}, held {peak} kB at the most, and said {complaints[:5]}; seed {seed}")
    print(f"gallery_schema: {made} requests answered as the document says, with {peak // 1024} MB at the most; seed {seed}")
    shutil.rmtree(folder)


def kind(path, name):
    """What a path means by a name."""
    if name == "id":
        return "event" if path.startswith("/events/") else "photo"
    if name == "key":
        return "logo" if path.startswith("/e/") else "key"
    return {"eventId": "event", "uploadId": "upload", "serial": "camera"}.get(name, name)


def hooks():
    """What a document cannot say: which ids there are, that an end comes after its beginning, and what a signature covers."""
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.generation.meta import TestPhase

    known = json.loads(os.environ["GALLERY_KNOWN"])
    gallery = Gallery.known(known)
    mine = []
    moment = re.compile(r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d")

    def in_order(body):
        if not isinstance(body, dict):
            return
        starts, expires = body.get("startsAt"), body.get("expiresAt")
        if isinstance(starts, str) and moment.match(starts):
            body["startsAt"] = "1900-01-01T00:00:00Z"
        if isinstance(expires, str) and moment.match(expires) and expires < "1901":
            body["expiresAt"] = "1950" + expires[4:]

    def take_known(case, chance):
        """All of one request is of one event."""
        event = chance.choice(known["events"])
        for name in case.path_parameters or {}:
            values = event.get(kind(case.operation.path, name))
            if values:
                case.path_parameters[name] = chance.choice(values)

    def take_place(case):
        """As a client with photos does; the bytes are none, of course."""
        body = getattr(case.body, "data", case.body)
        if not isinstance(body, bytes) or not body:
            return
        # The events that were there before may have been deleted meanwhile, as the document allows.
        if not mine:
            mine.append(gallery.ask("POST", "/events", {"name": "Bytes"})["id"])
        try:
            place = gallery.ask("POST", "/uploads/presign", {
                "eventId": mine[0], "contentType": "image/jpeg", "contentLength": len(body)})
        except Refused:
            mine.clear()
            return
        url = urllib.parse.urlsplit(place["putUrl"])
        case.path_parameters["key"] = place["objectKey"]
        case.query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        case.headers.update(place["requiredHeaders"])

    @schemathesis.hook
    def before_call(context, case, kwargs):
        in_order(case.body)
        meta = case.meta
        # What comes out of one answer and goes into the next is left as it is.
        if meta is None or meta.phase.name == TestPhase.STATEFUL or meta.generation.mode != GenerationMode.POSITIVE:
            return
        chance = random.Random(json.dumps([case.operation.path, str(case.query), str(case.path_parameters)]))
        # What all the others ask for stays.
        if case.method == "DELETE" and not case.operation.path.endswith(("/heart", "/{comment}")) or chance.random() < 0.4:
            return
        if case.operation.path == "/objects/{key}":
            if meta.phase.name == TestPhase.FUZZING:
                take_place(case)
        else:
            take_known(case, chance)


if __name__ == "__main__":
    main()
elif "GALLERY_KNOWN" in os.environ:
    hooks()
