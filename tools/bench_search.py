"""tools/bench search: what a search takes in an event of 50,000 photos, in either database.

Captions of many scripts are written by hand into the rows; then guests' requests are sent one after the other: rare words
and common ones, one and two characters, times, what all photos have, what only the oldest have, what none has, the best
photos only, second pages. Each round asks everything once; what is printed is the median of the rounds. Then the guests'
page is asked for while so many guests search without a pause.
"""
import http.client
import json
import os
import pwd
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

import cluster_postgres

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(TOP, ".build", "bench")
GALLERY = os.path.join(os.environ.get("TETHERLINE_BIN", os.path.join(TOP, ".build/release")), "gallery")
PHOTOS = 50_000
STORM, STORM_SECONDS = 32, 8
# In the order of the day; the first are the oldest.
PARTS = ["Getting ready", "Ceremony in the church", "Group photos", "Dinner", "First dance", "Party"]
WORDS = ["kiss", "rings", "Straße", "Ärzte", "Σίσυφος", "Привет", "งานแต่งงาน", "新郎新婦", "婚礼上的吻", "ケーキ", "💍", "tears",
         "grandmother", "champagne", "bouquet", "100%", "confetti", "speech", "Élise", "garden"]
CAMERAS = ["Nikon Z 8", "Canon EOS R5", "Sony ILCE-1"]
QUERIES = [
    # Everywhere, nearly everywhere, half of all.
    "dsc", "2026", ".jpg", "nikon", "a", "e", "1", "an", "00",
    # Only among the oldest tenth or third, and only in the latest.
    "getting ready", "ready", "ceremony", "ceremony in the church", "party", "dsc_00", "14:0", "2026-11-21 14",
    # In some, in few, in one, in none.
    "kiss", "KISS", "grandmother", "champagne", "straße", "STRASSE", "ärzte", "σίσυφοσ", "привет", "งานแต่ง", "新郎", "新郎新婦",
    "婚", "吻", "ケーキ", "💍", "100%", "élise", "é", "ß", "unique needle", "needle", "dsc_31415", "31415", "dsc_0", "nothing at all",
    "zq", "鬱", "q", "2026-11-21 14:07", "2026-11-21 21:59", "20:20", "jgp", "kiss rings",
    # What of two texts there is, but not in one after the other.
    "church ready", "jpg dsc", "dsc_dsc", "2026-11-21 2026",
]


def rows(event, owner):
    """One for each photo: columns by name."""
    chance = random.Random(1)
    start = 1_795_269_600_000  # 2026-11-21T14:00:00Z
    for number in range(1, PHOTOS + 1):
        part = PARTS[number * len(PARTS) // (PHOTOS + 1)]
        words = [part] if chance.random() < 0.7 else []
        words += chance.sample(WORDS, chance.randrange(3))
        if number == 1234:
            words.append("a unique needle")
        moment = start + number * 8 * 3_600_000 // PHOTOS
        key = f"{number:031x}"
        yield {
            "id": f"{number:08x}-0000-4000-8000-000000000000", "event_id": event, "owner_id": owner, "sequence": number,
            "sha256": f"{number:064x}", "content_type": "image/jpeg", "size": 8_000_000, "width": 6000, "height": 4000,
            "filename": f"DSC_{number:05}.JPG", "camera": CAMERAS[number % len(CAMERAS)], "captured_at": moment,
            "captured_offset": 0, "shown_at": moment, "created_at": moment, "thumb_key": "a" + key, "screen_key": "b" + key,
            "original_key": "c" + key, "thumb_size": 17_000, "screen_size": 300_000, "thumb_width": 360, "thumb_height": 240,
            "caption": " ".join(words), "rating": chance.choice([0, 0, 0, 1, 2, 3, 4, 5]),
            "tags": json.dumps(chance.sample(["bride", "groom", "family", "friends"], chance.randrange(3))),
            "hidden": int(chance.random() < 0.05), "updated_at": moment, "stamp": number}


class SQLite:
    name = "SQLite"

    def __init__(self, folder):
        self.data = os.path.join(folder, "data")
        os.mkdir(self.data)
        # Its photos are rows alone.
        self.words, self.serving = ["--data", self.data], ["--objects-are-lost"]
        self.environment = dict(os.environ)

    def prepare(self):
        pass

    def connect(self):
        return sqlite3.connect(os.path.join(self.data, "gallery.sqlite"), timeout=60)

    def fill(self, photos):
        database = self.connect()
        columns = list(photos[0])
        insert = f"INSERT INTO photos ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        began = time.monotonic()
        with database:
            database.executemany(insert, [tuple(photo.values()) for photo in photos])
            database.execute("UPDATE event_counts SET sequence = ?", (PHOTOS,))
        took = time.monotonic() - began
        database.close()
        return took

    def value(self, sql):
        database = self.connect()
        try:
            return database.execute(sql).fetchone()[0]
        finally:
            database.close()

    def size(self):
        return self.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")

    def stop(self):
        pass


class PostgreSQL:
    """A server of its own in a folder, under a user who is not root: initdb refuses that one."""
    name = "PostgreSQL"

    def __init__(self, folder):
        self.folder = os.path.join(folder, "postgres")
        os.mkdir(self.folder)
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        shutil.chown(self.folder, self.user)
        self.bin = cluster_postgres.programs()
        self.data = os.path.join(folder, "node")
        os.mkdir(self.data)
        # A socket's name has at most 107 bytes.
        self.sockets = tempfile.mkdtemp(prefix="bench-")
        shutil.chown(self.sockets, self.user)
        self.url = f"postgres://{self.user}@/gallery?host={quote(self.sockets, safe='')}"
        self.words = ["--database", self.url, "--data", self.data]
        # Nobody asks for a picture.
        self.serving = ["--storage", "s3://bench/photos"]
        self.environment = dict(os.environ, PGHOST=self.sockets, PGUSER=self.user, PGDATABASE="gallery",
                                AWS_ACCESS_KEY_ID="nobody", AWS_SECRET_ACCESS_KEY="nothing",
                                AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_REGION="here")

    def as_user(self, *words):
        begin = ["runuser", "-u", self.user, "--"] if os.geteuid() == 0 else []
        subprocess.run([*begin, *words], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def prepare(self):
        data = os.path.join(self.folder, "data")
        self.as_user(f"{self.bin}/initdb", "-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust")
        self.as_user(f"{self.bin}/pg_ctl", "-D", data, "-w", "-l", f"{self.folder}/log", "-o",
                     f"-c listen_addresses= -k {self.sockets}", "start")
        subprocess.run([f"{self.bin}/createdb", "gallery"], check=True, env=dict(self.environment, PGDATABASE="postgres"))
        subprocess.run([GALLERY, "migrate", "--database", self.url], check=True, stdout=subprocess.DEVNULL)

    def psql(self, sql):
        words = [f"{self.bin}/psql", "-qAtX", "-v", "ON_ERROR_STOP=1"]
        return subprocess.run(words, input=sql, capture_output=True, text=True, check=True, env=self.environment).stdout.strip()

    def fill(self, photos):
        def quoted(value):
            return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
        lines = "".join("\t".join(map(quoted, photo.values())) + "\n" for photo in photos)
        began = time.monotonic()
        self.psql(f"COPY photos ({', '.join(photos[0])}) FROM stdin;\n{lines}\\.\nUPDATE event_counts SET sequence = {PHOTOS};")
        return time.monotonic() - began

    def value(self, sql):
        found = self.psql(sql)
        return int(found) if found.isdigit() else found

    def size(self):
        return self.value("SELECT pg_database_size('gallery')")

    def stop(self):
        self.as_user(f"{self.bin}/pg_ctl", "-D", os.path.join(self.folder, "data"), "-m", "fast", "stop")
        shutil.rmtree(self.sockets)


class Server:
    def __init__(self, engine, folder):
        self.engine = engine
        self.port_file = os.path.join(folder, f"port-{engine.name}")
        secret = os.path.join(folder, "password")
        with open(secret, "w") as file:
            file.write("a password for a bench")
        subprocess.run([GALLERY, "user", "add", "a@example.org", "--password-file", secret, *engine.words], check=True,
                       stdout=subprocess.DEVNULL, env=engine.environment)
        self.start()
        login = self.call("POST", "/auth/login", {"email": "a@example.org", "password": "a password for a bench"})
        self.token = login["accessToken"]
        self.call("POST", "/consent", {"version": 1})
        self.event = self.call("POST", "/events", {"name": "Bench"})

    token = None
    cookie = {}

    def start(self):
        if os.path.exists(self.port_file):
            os.remove(self.port_file)
        words = [GALLERY, "serve", "--listen", "127.0.0.1:0", "--port-file", self.port_file, *self.engine.words,
                 *self.engine.serving]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=self.engine.environment)
        for _ in range(3000):
            if os.path.exists(self.port_file):
                break
            if self.process.poll() is not None:
                sys.exit("bench: the gallery does not start")
            time.sleep(0.01)
        with open(self.port_file) as file:
            self.connection = http.client.HTTPConnection("127.0.0.1", int(file.read()), timeout=60)

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        told = json.loads(answer.read())
        if answer.status >= 300:
            sys.exit(f"bench: {method} {path} answers {answer.status}: {told}")
        return told["data"]

    def search(self, query):
        """Milliseconds, and what was found. As a browser does, it brings the cookie that the first search gave it."""
        path = f"/e/{self.event['slug']}/photos?limit=100&{query}"
        began = time.monotonic()
        self.connection.request("GET", path, headers=self.cookie)
        answer = self.connection.getresponse()
        text = answer.read()
        took = (time.monotonic() - began) * 1000
        if given := answer.getheader("Set-Cookie"):
            self.cookie = {"Cookie": given.split(";")[0]}
        if answer.status != 200:
            sys.exit(f"bench: {path} answers {answer.status}")
        return took, json.loads(text)["data"]


def ninety_nine(values):
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


def ask(server, rounds, words):
    """The median of the rounds of the median, of the 99th percentile and of the worst, and who that was."""
    medians, tails, worst = [], [], {}
    for round in range(rounds + 1):
        took = []
        for text in words:
            for rest in ("", "&rating=5"):
                span, page = server.search(f"q={quote(text)}{rest}")
                took.append(span)
                worst.setdefault(text + rest, []).append(span)
                if page["next"] and not rest:
                    span, _ = server.search(f"q={quote(text)}&cursor={page['next']}")
                    took.append(span)
                    worst.setdefault(text + " (second page)", []).append(span)
        if round > 0:  # The first warms up.
            medians.append(statistics.median(took))
            tails.append(ninety_nine(took))
    slow = sorted(((statistics.median(spans[1:]), name) for name, spans in worst.items()), reverse=True)
    return statistics.median(medians), statistics.median(tails), slow, len(took)


def page_in_a_storm(server, folder):
    """Milliseconds that the guests' page takes, while wrk searches over as many connections as guests who never wait."""
    paths = [f"/e/{server.event['slug']}/photos?limit=60&q={quote(text)}" for text in QUERIES]
    script = os.path.join(folder, "storm.lua")
    with open(script, "w") as file:
        file.write("local paths = {" + ", ".join(f'"{path}"' for path in paths) + "}\nlocal count = 0\n"
                   "request = function() count = count + 1; return wrk.format('GET', paths[count % #paths + 1]) end\n")
    words = ["wrk", "-t1", f"-c{STORM}", f"-d{STORM_SECONDS + 5}s", "-s", script, f"http://127.0.0.1:{server.connection.port}"]
    storm = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    took, end = [], time.monotonic() + STORM_SECONDS
    while time.monotonic() < end:
        began = time.monotonic()
        server.connection.request("GET", f"/e/{server.event['slug']}")
        answer = server.connection.getresponse()
        answer.read()
        took.append((time.monotonic() - began) * 1000)
        if answer.status != 200:
            sys.exit(f"bench: the page answers {answer.status}")
        time.sleep(0.02)
    said = storm.communicate()[0]
    rate = next(line.split()[1] for line in said.splitlines() if line.startswith("Requests/sec"))
    refused = next((line.split()[-1] for line in said.splitlines() if "Non-2xx" in line), "0")
    return took, rate, refused


def measure(engine, folder, rounds):
    engine.prepare()
    server = Server(engine, folder)
    try:
        owner = engine.value("SELECT owner_id FROM events LIMIT 1")
        server.stop()
        filled = engine.fill(list(rows(server.event["id"], owner)))
        before = engine.size()
        server.start()
        began = time.monotonic()
        while engine.value("SELECT count(*) FROM photos_to_index") >= 32:
            time.sleep(0.05)
        indexed = time.monotonic() - began
        # The last few have their blocks when nothing has changed for a while.
        while engine.value("SELECT count(*) FROM photos_to_index") > 0:
            time.sleep(0.5)
        median, tail, slow, count = ask(server, rounds, QUERIES)
        print(f"{engine.name}: {count} searches a round in {PHOTOS} photos: median {median:.1f} ms, p99 {tail:.1f} ms; "
              f"slowest: {', '.join(f'{name} {span:.1f}' for span, name in slow[:4])}")
        print(f"{engine.name}: rows in {filled:.1f} s, all blocks in {indexed:.1f} s, "
              f"{(engine.size() - before) / 1e6:.0f} MB for them", flush=True)
        tails = []
        for _ in range(rounds):
            took, rate, refused = page_in_a_storm(server, folder)
            tails.append((ninety_nine(took), statistics.median(took)))
        tails.sort()
        tail, median = tails[len(tails) // 2]
        print(f"{engine.name}: the guests' page while {STORM} connections search: median {median:.1f} ms, p99 {tail:.1f} ms "
              f"({tails[0][0]:.1f} … {tails[-1][0]:.1f}); {rate} searches a second, {refused} refused", flush=True)
    finally:
        server.stop()
        engine.stop()


def run(rounds, only):
    os.makedirs(FOLDER, exist_ok=True)
    for engine in (SQLite, PostgreSQL):
        if only and engine.name.lower() != only:
            continue
        folder = tempfile.mkdtemp(prefix="search-", dir=FOLDER)
        os.chmod(folder, 0o755)
        try:
            measure(engine(folder), folder, max(5, rounds))
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 5, sys.argv[2] if len(sys.argv) > 2 else None)
