"""What the tools/prove-… share: a camera in software, runs of tetherline, and the judge.

The judge is written against what is on the disk: with Python's sqlite3 and hashlib, and with none of Tetherline's code.
"""
import collections
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EVENT = "Wedding"
# What a run that has nothing left to do needs, many times over.
PATIENCE = 120


def reason(text):
    """What a program said last, or, when it crashed, what its tracer says of the thread that did."""
    at = text.find("crashed:")
    if at < 0:
        return text[-600:].strip()
    return (text[:300] + " … " + text[at : at + 2500]).strip()


class Wrong(Exception):
    """What must never be, in sentences."""

    def __init__(self, *sentences):
        super().__init__("; ".join(sentences))


def binaries():
    """Those of a release build, or those in $TETHERLINE_BIN."""
    folder = os.environ.get("TETHERLINE_BIN")
    if not folder:
        shown = subprocess.run(
            ["swift", "build", "-c", "release", "--show-bin-path"], cwd=TOP, check=True, capture_output=True, text=True
        )
        folder = shown.stdout.strip()
    for name in ("tetherline", "camsim"):
        if not os.access(os.path.join(folder, name), os.X_OK):
            sys.exit(f"there is no {name} in {folder}: swift build -c release")
    return folder


BIN = binaries()
TETHERLINE = os.path.join(BIN, "tetherline")


def make_card(folder, sizes, chance):
    """JPEGs as far as a program looks that only carries them."""
    place = os.path.join(folder, "DCIM", "100PROVE")
    os.makedirs(place)
    for number, size in enumerate(sizes):
        with open(os.path.join(place, f"PROV{number + 1:04}.JPG"), "wb") as file:
            file.write(b"\xff\xd8\xff\xe1" + chance.randbytes(size - 6) + b"\xff\xd9")
    return folder


class Camera:
    """A running camsim. What it is run by, and so where, may stand before it."""

    def __init__(self, folder, *arguments, before=()):
        self.before = before
        self.folder = tempfile.mkdtemp(prefix="camera-", dir=folder)
        port_file = os.path.join(self.folder, "port")
        words = [os.path.join(BIN, "camsim"), "--listen", "127.0.0.1:0", "--port-file", port_file, *arguments]
        self.process = subprocess.Popen([*before, *words], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while not (os.path.exists(port_file) and os.path.getsize(port_file)):
            if self.process.poll() is not None or time.monotonic() > until:
                raise Wrong(f"camsim {' '.join(arguments)} does not listen")
            time.sleep(0.01)
        with open(port_file) as file:
            self.address = f"127.0.0.1:{file.read().strip()}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def copy_card(self):
        """Everything on the card, fetched by another command than the one that is proved."""
        target = os.path.join(self.folder, "card")
        home = os.path.join(self.folder, "home")
        words = [TETHERLINE, "camera", "get", self.address, "--all", "--to", target, "--home", home]
        got = subprocess.run([*self.before, *words], capture_output=True, text=True, timeout=PATIENCE)
        if got.returncode != 0:
            raise Wrong(f"the card cannot be copied: {got.stderr}")
        return target


class Place:
    """A home and the folder that photos are delivered to."""

    def __init__(self, folder):
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.target = os.path.join(folder, "target")
        self.ledger = os.path.join(self.home, "tetherline.sqlite")
        self.spool = os.path.join(self.home, "spool")
        # Files that were whole once, and what they were: none of them is written again.
        self.seen = {}

    def command(self, camera, *more):
        destination = f"file://{self.target}?name={{name}}"
        words = [TETHERLINE, "run", "--camera", camera.address, "--event", EVENT, "--home", self.home]
        return words + ["--destination", destination, "--since", "all", "--json", *more]

    def to_the_end(self, camera, idle="1s", before=()):
        """A run that ends by itself; its exit code and what it said."""
        words = [*before, *self.command(camera, "--once", "--idle", idle, "--retry", "20s")]
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Wrong(f"no end after {PATIENCE} s: {' '.join(words)}") from None
        return run.returncode, run.stdout, run.stderr

    def must_end_well(self, camera, idle="1s"):
        code, said, complaint = self.to_the_end(camera, idle)
        if code != 0:
            raise Wrong(f"the last run ended with {code}: {reason(complaint or said)}")
        return said

    def digest(self, path):
        """By name, size and time: what has not changed is not read again. None where there is no file."""
        try:
            facts = os.stat(path)
        except FileNotFoundError:
            return None
        mark = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        known = self.seen.get(path)
        if known is None or known[0] != mark:
            with open(path, "rb") as file:
                known = (mark, hashlib.file_digest(file, "sha256").hexdigest())
            self.seen[path] = known
        return known[1]

    def rows(self, *questions):
        """Answers from a copy of the ledger: looking must not repair what the next start has to repair."""
        with tempfile.TemporaryDirectory() as folder:
            for end in ("", "-wal", "-journal"):
                if os.path.exists(self.ledger + end):
                    shutil.copy(self.ledger + end, os.path.join(folder, "copy.sqlite" + end))
            ledger = sqlite3.connect(os.path.join(folder, "copy.sqlite"))
            try:
                return [ledger.execute(question).fetchall() for question in questions]
            except sqlite3.DatabaseError as error:
                # Death came before the first tables.
                if "no such table" in str(error):
                    return [[] for _ in questions]
                raise Wrong(f"the ledger cannot be read: {error}") from None
            finally:
                ledger.close()


STAGED = "SELECT id, event_id, file, staged_size, sha256 FROM captures WHERE state = 'staged'"
COMPLETED = "SELECT capture_id, receipt FROM upload_jobs WHERE state = 'completed'"


def staged_file(place, row):
    """What is wrong with the file of a staged row, or nothing."""
    capture, event, name, size, sha256 = row
    path = os.path.join(place.spool, event, name)
    found = place.digest(path)
    if found is None:
        return f"capture {capture} is staged and {name} is not in the spool"
    if os.path.getsize(path) != size:
        return f"capture {capture}: {name} has {os.path.getsize(path)} bytes, staged were {size}"
    if found != sha256:
        return f"capture {capture}: {name} is not what was staged"
    return None


def delivered_file(place, capture, receipt):
    receipt = json.loads(receipt)
    path = os.path.join(place.target, receipt["key"])
    found = place.digest(path)
    if found is None:
        return f"capture {capture} has its receipt and {receipt['key']} is not there"
    if found != receipt["sha256"] or os.path.getsize(path) != receipt["size"]:
        return f"capture {capture}: {receipt['key']} is not what its receipt says"
    return None


def check_promises(place):
    """True at every moment, also right after a death: what the ledger says is so. Gives both kinds of row."""
    if not os.path.exists(place.ledger):
        return {}, {}
    staged, completed, integrity = place.rows(STAGED, COMPLETED, "PRAGMA integrity_check")
    found = [staged_file(place, row) for row in staged]
    found += [delivered_file(place, *row) for row in completed]
    if integrity not in ([], [("ok",)]):
        found.append(f"integrity_check: {integrity}")
    found = [sentence for sentence in found if sentence]
    if found:
        raise Wrong(*found[:10])
    return {row[0]: row for row in staged}, dict(completed)


def check_said(place, events):
    """Whatever a program has told is durable: `staged` and `delivered` are in the ledger, with their files."""
    staged, completed = check_promises(place)
    found = []
    for event in events:
        capture = event.get("capture")
        if event["event"] == "staged":
            row = staged.get(capture)
            if row is None or (row[2], row[3], row[4]) != (event["file"], event["size"], event["sha256"]):
                found.append(f"{event['file']} was said to be staged, and the ledger does not know")
        elif event["event"] == "delivered" and capture not in completed:
            found.append(f"{event['receipt']['key']} was said to be delivered, and the ledger does not know")
    if found:
        raise Wrong(*found[:10])


def files_below(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(parent, name)


def judge(place, card):
    """At the end: everything on the card is delivered once, and nothing is left lying about. Counts the photos."""
    place.seen = {}
    check_promises(place)
    found = [*judge_target(place, card), *judge_spool(place), *judge_ledger(place)]
    if found:
        raise Wrong(*found[:10])
    return sum(1 for _ in files_below(card))


def judge_target(place, card):
    """Every content exactly once, under a name that it has on the card: two files of one content are one photo."""
    names = collections.defaultdict(set)
    for path in files_below(card):
        names[place.digest(path)].add(os.path.basename(path))
    times = collections.Counter()
    for path in files_below(place.target):
        content, name = place.digest(path), os.path.relpath(path, place.target)
        times[content] += 1
        if name.startswith(".tetherline-"):
            yield f"{name} was left at the destination"
        elif name not in names.get(content, ()):
            yield f"{name} at the destination is not so on the card"
    for content, known in names.items():
        if times[content] != 1:
            yield f"{', '.join(sorted(known))} is {times[content]} times at the destination"


def judge_spool(place):
    (rows,) = place.rows(STAGED)
    wanted = {os.path.join(place.spool, row[1], row[2]) for row in rows}
    for path in files_below(place.spool):
        if path not in wanted:
            yield f"{os.path.relpath(path, place.spool)} in the spool has no staged row"
    # A death in the first instant of a home may leave ".identity.<pid>.new": 37 bytes that no program reads or trusts.
    for name in os.listdir(place.home):
        if name.endswith((".part", "-journal")):
            yield f"{name} was left in the home"


COUNTS = """
    SELECT event_id, subject, state, number, bytes FROM counts WHERE number <> 0 OR bytes <> 0
"""
REAL_COUNTS = """
    SELECT event_id, 'capture', state, count(*), sum(size) FROM captures GROUP BY 1, 3
    UNION ALL SELECT event_id, 'job', state, count(*), sum(size) FROM upload_jobs GROUP BY 1, 3
"""


def judge_ledger(place):
    counts, real, open_jobs, without, unfinished, orphans = place.rows(
        COUNTS,
        REAL_COUNTS,
        "SELECT id, state FROM upload_jobs WHERE state <> 'completed'",
        "SELECT c.id FROM captures c LEFT JOIN upload_jobs j ON j.capture_id = c.id WHERE c.state = 'staged' "
        "GROUP BY c.id HAVING count(j.id) <> (SELECT count(*) FROM destinations)",
        "SELECT id, state FROM captures WHERE state NOT IN ('staged', 'duplicate')",
        "PRAGMA foreign_key_check",
    )
    if sorted(counts) != sorted(real):
        yield f"the counts are {sorted(counts)}, counted are {sorted(real)}"
    for job, state in open_jobs:
        yield f"job {job} is {state}"
    for (capture,) in without:
        yield f"capture {capture} has not one job for each destination"
    for capture, state in unfinished:
        yield f"capture {capture} is {state}"
    for row in orphans:
        yield f"a row refers to nothing: {row}"


def events_in(text):
    """The complete lines of what a run has said."""
    lines = text.split("\n")[:-1]
    return [json.loads(line) for line in lines if line.startswith("{")]
