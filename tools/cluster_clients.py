"""Photographers and guests by the contract alone, for prove-cluster and bench cluster: Python's own HTTP, none of our code.

A photographer asks for a place, puts the bytes there, asks how it went, and repeats whatever may be repeated, as the bridge
does. A guest listens to an event, comes back with the id of the last message, and notes every photo that it was told of.
"""
import base64
import hashlib
import http.client
import json
import random
import re
import sqlite3
import subprocess
import threading
import time
import urllib.parse

PATIENCE = 30
# What the bridge may try again after, and prove-cluster is about.
AGAIN = {408, 425, 429, 500, 502, 503, 504}
# How long a photo may take through all that happens before it counts as lost.
LONGEST = 600


class Refused(Exception):
    """An answer that no client has to put up with."""


class Broken(Exception):
    """No whole answer: the other side is gone. May be tried again."""


# MARK: Pictures


def base_picture():
    """A picture that a decoder takes; what makes each one unlike the others comes in a comment."""
    width, height = 96, 64
    pixels = bytes(value for y in range(height) for x in range(width) for value in (x * 2, y * 3, (x ^ y) & 255))
    header = f"P6 {width} {height} 255\n".encode()
    return subprocess.run(["cjpeg", "-quality", "80"], input=header + pixels, capture_output=True, check=True).stdout


def picture(base, seed, number, size=0):
    """The same bytes for the same number, so that an acknowledged photo can be held against them later."""
    comment = f"picture {number} of {seed}".encode()
    if size > len(base) + len(comment):
        comment += random.Random(f"{seed}/{number}").randbytes(min(size - len(base) - len(comment), 65_000))
    return base[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + base[2:]


# MARK: Requests


class Line:
    """A connection that is kept as long as the other side keeps it."""

    def __init__(self, url):
        address = urllib.parse.urlsplit(url)
        self.host, self.port, self.connection = address.hostname, address.port, None

    def ask(self, method, target, body=None, headers=()):
        """Status, headers, body. A kept connection that turns out to be gone is not taken for the server's end."""
        is_kept = self.connection is not None
        try:
            return self.exchange(method, target, body, headers)
        except Broken:
            if not is_kept or method not in ("GET", "HEAD"):
                raise
        return self.exchange(method, target, body, headers)

    def exchange(self, method, target, body, headers):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
            self.connection.request(method, target, body, dict(headers))
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Broken(f"{method} {target.partition('?')[0]}: {error!r}") from None
        if answer.will_close:
            self.close()
        return answer.status, answer.headers, text

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Account:
    """A log-in that several photographers share. Refreshed as a client does it, by one at a time."""

    def __init__(self, url, email, password):
        self.url, self.email, self.password = url, email, password
        self.lock, self.access, self.refresh, self.until = threading.Lock(), None, None, 0
        self.refreshed = self.logins = 0

    def token(self, is_refused=None):
        """`is_refused`: the token that was answered 401."""
        with self.lock:
            if self.access and self.access != is_refused and time.monotonic() < self.until:
                return self.access
            if self.refresh:
                answer = self.post("/auth/refresh", {"refreshToken": self.refresh}, accepted=(200, 401))
                if answer:
                    self.refreshed += 1
                    return self.take(answer)
            self.logins += 1
            return self.take(self.post("/auth/login", {"email": self.email, "password": self.password}))

    def take(self, answer):
        self.access, self.refresh = answer["accessToken"], answer["refreshToken"]
        claims = self.access.split(".")[1]
        life = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        # Refreshed long before it ends, so that refreshing is under way while things break.
        self.until = time.monotonic() + min(120, max(5, (life["exp"] - life.get("iat", life["exp"] - 900)) / 2))
        return self.access

    def post(self, target, words, accepted=(200,)):
        until, line = time.monotonic() + LONGEST, Line(self.url)
        while True:
            try:
                status, headers, text = line.ask("POST", target, json.dumps(words), {"Content-Type": "application/json"})
                if status in accepted:
                    return json.loads(text)["data"] if status == 200 else None
                if status not in AGAIN:
                    raise Refused(f"POST {target} was answered {status} {text[:200]!r}")
                wait = again_in(headers)
            except Broken:
                wait = 0.3
            if time.monotonic() > until:
                raise Refused(f"POST {target} found no answer in {LONGEST} s")
            time.sleep(wait)


def again_in(headers):
    """What a server asks for, spread."""
    return min(float(headers.get("Retry-After") or 0.5), 15) * random.uniform(0.5, 1.2)


class Client:
    """Requests with a log-in, repeated until they are answered for good."""

    def __init__(self, url, account):
        self.account, self.line = account, Line(url)
        self.repeated = 0

    def ask(self, method, target, words=None, headers=(), accepted=(200, 201)):
        until, refused = time.monotonic() + LONGEST, None
        while True:
            token = self.account.token(refused)
            sent = {"Authorization": f"Bearer {token}", **dict(headers)}
            body = None
            if words is not None:
                body, sent["Content-Type"] = json.dumps(words), "application/json"
            try:
                status, said, text = self.line.ask(method, target, body, sent)
                if status in accepted:
                    # A refusal that is accepted has an error instead.
                    return status, json.loads(text)["data"] if text and status < 400 else None
                if status == 401 and refused is None:
                    refused = token
                    continue
                if status not in AGAIN:
                    raise Refused(f"{method} {target} was answered {status} {text[:300]!r}")
                wait = again_in(said)
            except Broken:
                wait = random.uniform(0.05, 0.5)
            self.repeated += 1
            if time.monotonic() > until:
                raise Refused(f"{method} {target} found no answer in {LONGEST} s")
            time.sleep(wait)

    def data(self, *words, **named):
        return self.ask(*words, **named)[1]


# MARK: What was done, so that a proof can go on after it was ended


class Ledger:
    """What photographers were promised and guests have heard."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.database.executescript("""
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            CREATE TABLE IF NOT EXISTS pictures (
                number INTEGER PRIMARY KEY, photographer INTEGER, content INTEGER, sha256 TEXT, upload TEXT, photo TEXT);
            CREATE TABLE IF NOT EXISTS guests (guest INTEGER PRIMARY KEY, position TEXT);
            CREATE TABLE IF NOT EXISTS heard (guest INTEGER, photo TEXT, how TEXT, PRIMARY KEY (guest, photo)) WITHOUT ROWID;
        """)

    def run(self, statement, *values):
        with self.lock:
            return self.database.execute(statement, values).fetchall()

    def begin(self, photographer, content_of):
        """A number of its own, and whose bytes it has: mostly its own."""
        with self.lock:
            (number,) = self.database.execute("SELECT coalesce(max(number), 0) + 1 FROM pictures").fetchone()
            self.database.execute(
                "INSERT INTO pictures (number, photographer, content) VALUES (?, ?, ?)", (number, photographer, content_of(number)))
            return number

    def open_pictures(self, photographer):
        return self.run("SELECT number, content FROM pictures WHERE photographer = ? AND photo IS NULL ORDER BY number", photographer)


class Photographer(threading.Thread):
    """Shoots at a pace until told to stop, and then brings what it has begun to its end."""

    def __init__(self, number, client, event, ledger, base, seed, pace, store_address=None, size=0):
        super().__init__(daemon=True, name=f"photographer {number}")
        self.number, self.client, self.event, self.ledger = number, client, event, ledger
        self.base, self.seed, self.pace, self.size = base, seed, pace, size
        self.chance = random.Random(f"{seed}/photographer/{number}/{time.time_ns()}")
        self.stops, self.problem, self.done, self.slowest = threading.Event(), None, 0, 0.0
        self.puts_repeated = self.represigned = 0

    def run(self):
        try:
            for number, content in self.ledger.open_pictures(self.number):
                self.bring(number, content)
            while not self.stops.is_set():
                number = self.ledger.begin(self.number, self.content_of)
                ((content,),) = self.ledger.run("SELECT content FROM pictures WHERE number = ?", number)
                self.bring(number, content)
                self.stops.wait(self.chance.uniform(0.5, 1.5) * self.pace)
        except Exception as error:  # Said by the main thread.
            self.problem = error

    def content_of(self, number):
        """Now and then the same bytes a second time: the same photo, and no charge."""
        own = self.ledger.database.execute(
            "SELECT content FROM pictures WHERE photographer = ? AND photo IS NOT NULL ORDER BY number DESC LIMIT 20",
            (self.number,)).fetchall()  # fmt: skip
        return self.chance.choice(own)[0] if own and self.chance.random() < 0.03 else number

    def bring(self, number, content):
        data = picture(self.base, self.seed, content, self.size)
        sha256, began = hashlib.sha256(data).hexdigest(), time.monotonic()
        wish = {"eventId": self.event, "contentType": "image/jpeg", "contentLength": len(data), "sha256": sha256,
                "filename": f"PROV{number:06}.JPG"}  # fmt: skip
        key = {"Idempotency-Key": f"{self.seed}-{number}"}
        place = self.client.data("POST", "/uploads/presign", wish, headers=key)
        upload = place["uploadId"]
        ((known,),) = self.ledger.run("SELECT upload FROM pictures WHERE number = ?", number)
        if known not in (None, upload):
            raise Refused(f"picture {number} has two uploads, {known} and {upload}")
        self.ledger.run("UPDATE pictures SET upload = ?, sha256 = ? WHERE number = ?", upload, sha256, number)
        has_come, left_out, pause = self.put(place, data), 0, 0.15
        while time.monotonic() < began + LONGEST:
            found = self.client.data("GET", f"/uploads/status?ids={upload}")
            state = found[0] if found else None
            left_out = 0 if state else left_out + 1
            if state and state["status"] == "completed":
                self.ledger.run("UPDATE pictures SET photo = ? WHERE number = ?", state["photoId"], number)
                self.done, self.slowest = self.done + 1, max(self.slowest, time.monotonic() - began)
                return
            if state and state["status"] == "failed" and state["errorCode"] not in ("PROCESSING_TIMEOUT", "STORAGE_ERROR"):
                raise Refused(f"picture {number}: {state}")
            if left_out >= 3 or state and state["status"] in ("failed", "expired") or not has_come:
                status, place = self.client.ask("POST", f"/uploads/{upload}/presign", accepted=(200, 201, 409))
                # 409: it has moved on meanwhile.
                if status != 409:
                    self.represigned += 1
                    has_come = self.put(place, data)
            time.sleep(pause)
            pause = min(1.0, pause * 1.5)
        raise Refused(f"picture {number} does not come to an end: {state}")

    def put(self, place, data):
        """Straight to the store. Whether the bytes have arrived."""
        url = urllib.parse.urlsplit(place["putUrl"])
        for _ in range(5):
            line = Line(f"http://{url.netloc}")
            try:
                status, _, text = line.ask("PUT", f"{url.path}?{url.query}", data, place["requiredHeaders"])
            except Broken:
                status = 0
            finally:
                line.close()
            if status in (200, 412):
                return True
            if status == 403:
                return False
            if status and status not in AGAIN:
                raise Refused(f"a PUT was answered {status} {text[:300]!r}")
            self.puts_repeated += 1
            time.sleep(self.chance.uniform(0.1, 0.6))
        return False


class Guest(threading.Thread):
    """Looks at an event's page once, and listens from there on."""

    def __init__(self, number, url, slug, ledger):
        super().__init__(daemon=True, name=f"guest {number}")
        self.number, self.slug, self.ledger = number, slug, ledger
        address = urllib.parse.urlsplit(url)
        self.host, self.port = address.hostname, address.port
        self.line = Line(url)
        rows = ledger.run("SELECT position FROM guests WHERE guest = ?", number)
        self.position = rows[0][0] if rows else None
        self.heard = {photo for (photo,) in ledger.run("SELECT photo FROM heard WHERE guest = ?", number)}
        self.stops, self.problem, self.lines_open, self.resets = threading.Event(), None, 0, 0

    def run(self):
        while not self.stops.is_set():
            try:
                if self.position is None:
                    self.open_page()
                self.listen()
            except (Broken, OSError, http.client.HTTPException):
                pass
            except Exception as error:  # Said by the main thread.
                self.problem = error
                return
            # As pages do it: they do not all come back at once.
            self.stops.wait(random.uniform(0.05, 0.5))

    def open_page(self):
        status, _, text = self.line.ask("GET", f"/e/{self.slug}")
        if status in AGAIN:
            raise Broken(str(status))
        found = re.search(rb'data-live="(\d+)"', text)
        if status != 200 or not found:
            raise Refused(f"the page of {self.slug} was answered {status} and has no position")
        self.read_list()
        self.keep(found[1].decode())

    def read_list(self):
        cursor = ""
        while cursor is not None:
            status, _, text = self.line.ask("GET", f"/e/{self.slug}/photos?limit=200{cursor and '&cursor='}{cursor}")
            if status in AGAIN:
                raise Broken(str(status))
            if status != 200:
                raise Refused(f"the list of {self.slug} was answered {status}")
            page = json.loads(text)["data"]
            for photo in page["photos"]:
                self.hear(photo["id"], "list")
            cursor = page["next"]

    def listen(self):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"/e/{self.slug}/live", headers={"Last-Event-ID": self.position})
            answer = connection.getresponse()
            if answer.status in AGAIN:
                raise Broken(str(answer.status))
            if answer.status != 200:
                raise Refused(f"the stream of {self.slug} was answered {answer.status} {answer.read(300)!r}")
            self.lines_open += 1
            message = {}
            while not self.stops.is_set():
                line = answer.readline()
                if not line:
                    return
                text = line.decode().rstrip("\r\n")
                if not text:
                    self.take(message)
                    message = {}
                elif not text.startswith(":"):
                    name, _, value = text.partition(":")
                    message[name] = value.removeprefix(" ")
        finally:
            connection.close()

    def take(self, message):
        if message.get("event") == "photo":
            self.hear(json.loads(message["data"])["id"], "stream")
        elif message.get("event") == "reset":
            self.resets += 1
            self.read_list()
        if message.get("id"):
            self.keep(message["id"])

    def hear(self, photo, how):
        if photo not in self.heard:
            self.heard.add(photo)
            self.ledger.run("INSERT OR IGNORE INTO heard VALUES (?, ?, ?)", self.number, photo, how)

    def keep(self, position):
        """After what it stands behind was noted."""
        self.position = position
        self.ledger.run("INSERT OR REPLACE INTO guests VALUES (?, ?)", self.number, position)
