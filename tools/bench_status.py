"""tools/bench status: what `tetherline status` takes of an operator's time with a hundred thousand deliveries in the ledger.

Fifty thousand photos go to a folder and to a gallery that is not reached; their deliveries are in every state that there is,
half of them done. A bridge that begins takes those that were under way for interrupted ones. It is asked for as text and as JSON, while no bridge runs and while one does, and `--version` beside them
says what is the start of the program alone. Each figure is the wall time of the whole command.
"""
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import shutil
import time
import bench_progress

PHOTOS = 50_000
SIZE = 4096
# Of each hundred deliveries; what a folder has no such state for is staged there.
STATES = (("completed", 54), ("staged", 20), ("presigned", 5), ("uploading", 1), ("uploadedAwaitingProcessing", 10),
          ("failedRetryable", 5), ("failedPermanent", 5))  # fmt: skip
GALLERY = "http://127.0.0.1:9"
PATIENCE = 120.0
REPEATS = 11


def state(number, kind):
    left = number % 100
    for name, share in STATES:
        if left < share:
            return "staged" if kind == "file" and name in ("presigned", "uploadedAwaitingProcessing") else name
        left -= share
    raise AssertionError


def seed(home):
    ledger = sqlite3.connect(os.path.join(home, "tetherline.sqlite"))
    ledger.execute("PRAGMA synchronous = OFF")
    event = ledger.execute("SELECT id FROM events").fetchone()[0]
    now = int(time.time() * 1000)
    ledger.execute(
        "INSERT INTO destinations (event_id, url, kind, created_at) VALUES (?, ?, 'gallery', ?)", (event, GALLERY, now))
    places = ledger.execute("SELECT id, kind FROM destinations").fetchall()
    folder = os.path.join(home, "spool", event)
    os.makedirs(folder, exist_ok=True)
    photos, jobs = [], []
    for number in range(1, PHOTOS + 1):
        name = f"{number}-DSC.JPG"
        with open(os.path.join(folder, name), "wb") as file:
            file.truncate(SIZE)
        photos.append((number, event, f"photo {number}", f"DSC{number}.JPG", f"DSC{number}", SIZE, number, name, SIZE,
                       f"{number:064x}", now, now))  # fmt: skip
        for place, kind in places:
            word = state(number, kind)
            isDone, hasFailed = word == "completed", word.startswith("failed")
            note = "{}" if kind == "gallery" and word in ("presigned", "uploading", "uploadedAwaitingProcessing") else None
            jobs.append((number, place, kind, event, word, f"{number * 10 + place:036x}", now, SIZE,
                         "it was refused" if hasFailed else None, "{}" if isDone else None, now, now if isDone else None,
                         note, 1 if word == "uploading" else 0))  # fmt: skip
    ledger.executemany(
        "INSERT INTO captures (id, event_id, in_memory, slot, folder, identity, name, stem, kind, format, size, capture_date, seq,"
        " state, file, staged_size, sha256, announced_at, staged_at)"
        " VALUES (?, ?, 0, 1, 'DCIM/100MODEL', ?, ?, ?, 'picture', 14337, ?, '20261121T120000', ?, 'staged', ?, ?, ?, ?, ?)", photos)
    ledger.executemany(
        "INSERT INTO upload_jobs (capture_id, destination_id, kind, event_id, state, lane, key, due_at, size, problem, receipt,"
        " created_at, completed_at, note, claimed) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)", jobs)
    ledger.commit()
    ledger.close()
    return len(jobs)


def asked(program, home, words):
    """Milliseconds of the whole command."""
    environment = dict(os.environ, TETHERLINE_HOME=home)
    began = time.monotonic()
    result = subprocess.run([program, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    took = (time.monotonic() - began) * 1000
    if result.returncode != 0:
        sys.exit(f"bench: {' '.join(words)} ended with {result.returncode}: {result.stderr.decode()}")
    return took, result.stdout.decode()


def measure(program, home, label, rounds, figures):
    for words in (["--version"], ["status"], ["status", "--json"]):
        row = figures.setdefault((label, " ".join(words)), [])
        for number in range(rounds + 1):
            took = statistics.median(asked(program, home, words)[0] for _ in range(REPEATS))
            bench_progress.done(f"{' '.join(words)}, {label}", number, rounds, f"{took:.1f} ms")
            if number > 0:  # The first round fills caches.
                row.append(took)


def bridge(program, home, scratch):
    """One that is paused, so that the deliveries stay what they are, and has no camera."""
    asked(program, home, ["pause"])
    with open(os.path.join(scratch, "said"), "wb") as said:
        running = subprocess.Popen(
            [program, "run", "--camera", "127.0.0.1:1", "--event", "Bench", "--json"], stdin=subprocess.DEVNULL,
            stdout=said, stderr=said, env=dict(os.environ, TETHERLINE_HOME=home))
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and running.poll() is None:
        if json.loads(asked(program, home, ["status", "--json"])[1]).get("live"):
            return running
        time.sleep(0.2)
    running.kill()
    with open(os.path.join(scratch, "said")) as said:
        sys.exit(f"bench: no bridge ran within {PATIENCE:.0f} s: {said.read()[-2000:]}")


def run(binaries, top, rounds):
    scratch = tempfile.mkdtemp(prefix="bench-", dir=os.path.join(top, ".build"))
    home, program = os.path.join(scratch, "home"), os.path.join(binaries, "tetherline")
    figures = {}
    try:
        words = ["run", "--event", "Bench", "--destination", f"file://{scratch}/there", "--once", "--idle", "0s"]
        asked(program, home, words)
        count = seed(home)
        measure(program, home, "no bridge runs", rounds, figures)
        running = bridge(program, home, scratch)
        try:
            measure(program, home, "a bridge runs", rounds, figures)
            jobs = json.loads(asked(program, home, ["status", "--json"])[1])["jobs"]
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)
        print(f"\n{count} deliveries in the ledger, while it runs {jobs}; medians of {rounds} rounds of {REPEATS}\n")
        print("| command | bridge | ms | slowest round ms |")
        print("|---|---|---|---|")
        for (label, words), row in figures.items():
            print(f"| tetherline {words} | {label} | {statistics.median(row):.1f} | {max(row):.1f} |")
        worst = max(statistics.median(row) for (_, words), row in figures.items() if words.startswith("status"))
        print(f"\nslowest status: {worst:.1f} ms")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
