#!/usr/bin/env python3
"""A whole event, driven by a program: every decision is taken from `--json` and exit codes, none from a sentence.

  tools/scripted_event.py [--bin FOLDER]     a gallery, two cameras and the bridge in a folder of its own, which goes at the end

It logs in, gives the consent, makes and selects the event, shoots, loses a destination and mends it, finds the photo that
the gallery cannot use, rates and hides others, has it all verified, and closes the event. Ends with 0 when all of it was so,
and with 1 and what was otherwise. A script for an event of your own keeps the parts that it needs.
"""
import argparse
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# sysexits.h, as `tetherline help exit-codes` says it.
NO_PERMISSION = 77
# Everything is on this machine; what takes longer does not come any more.
PATIENCE = 60.0
SHOTS = 4
# Begins as a JPEG does and is none.
BROKEN = b"\xff\xd8\xff\xe0" + b"not a picture " * 400


class Wrong(Exception):
    """What was otherwise than it has to be."""


def must(claim, what):
    if not claim:
        raise Wrong(what)


class Programs:
    def __init__(self, folder, work):
        self.folder, self.work = folder, work
        self.environment = dict(os.environ, TETHERLINE_HOME=os.path.join(work, "home"))
        self.running = []

    def start(self, name, *words, **more):
        log = open(os.path.join(self.work, f"{name}.log"), "a")
        more.setdefault("stdout", log)
        process = subprocess.Popen([os.path.join(self.folder, name), *words], env=self.environment, stderr=log, **more)
        self.running.append(process)
        return process

    def ask(self, *words, codes=(0,)):
        """What `tetherline` says to this, one JSON value a line, and its exit code."""
        answer = subprocess.run(
            [os.path.join(self.folder, "tetherline"), *words], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE, stdin=subprocess.DEVNULL)
        must(answer.returncode in codes, f"{' '.join(words)} ended with {answer.returncode}, not {codes}: {answer.stderr}")
        values = [json.loads(line) for line in answer.stdout.splitlines()] if "--json" in words else []
        return values, answer.returncode

    def one(self, *words, codes=(0,)):
        values, _ = self.ask(*words, "--json", codes=codes)
        must(len(values) == 1, f"{' '.join(words)} --json says {len(values)} values, not one")
        return values[0]

    def port(self, name, *words):
        """Starts what writes down the port that it listens at."""
        path = os.path.join(self.work, f"port-{len(self.running)}")
        process = self.start(name, "--port-file", path, *words) if name == "camsim" else self.start(
            name, *words, "--port-file", path)
        until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, f"{name} listens", process)
        with open(path) as file:
            return int(file.read())

    def end(self):
        for process in reversed(self.running):
            if process.poll() is None:
                process.terminate()
        for process in self.running:
            process.wait(PATIENCE)


def until(claim, what, process=None):
    end = time.monotonic() + PATIENCE
    while not claim():
        must(process is None or process.poll() is None, f"it ended before this: {what}")
        must(time.monotonic() < end, f"after {PATIENCE:g} s not yet: {what}")
        time.sleep(0.05)


class Bridge:
    """`tetherline run --json`, and what it has told so far."""

    def __init__(self, programs, *words):
        self.events, self.news = [], threading.Condition()
        self.process = programs.start("tetherline", "run", "--json", *words, stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.events.append(json.loads(line))
                self.news.notify_all()

    def wait(self, what, count=1, **values):
        """Until it has told `count` of these events."""

        def told():
            return sum(
                event["event"] == what and all(event.get(key) == value for key, value in values.items())
                for event in self.events)

        with self.news:
            must(self.news.wait_for(lambda: told() >= count, PATIENCE), f"{told()} times '{what}' {values}, not {count}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.reader.join()
        must(code == 0, f"the bridge ended with {code}")


def gates(programs, server, password):
    """What stands between a new home and an upload, one after another."""
    programs.ask("whoami", "--json", codes=(NO_PERMISSION,))
    programs.ask("login", server, "--email", "ann@example.org", "--password-file", password, "--quiet")
    must(programs.one("whoami")["email"] == "ann@example.org", "another account is logged in")
    must(programs.one("consent", codes=(1,))["given"] is False, "there is a consent that was never given")
    programs.ask("consent", "--give")
    must(programs.one("consent")["given"], "the consent that was given is not there")
    event = programs.one("events", "create", "Wedding")
    programs.ask("events", "select", event["id"], "--quiet")
    listed, _ = programs.ask("events", "list", "--json")
    must([row["id"] for row in listed if row["selected"]] == [event["id"]], "the event is not the selected one")
    return event["id"]


def status(programs):
    return programs.one("status")


def place(report, url):
    return next(row for row in report["destinations"] if row["url"].startswith(url))


def lost_destination(programs, bridge, archive, spare):
    """A folder that is no folder any more holds up its photos and no others; another takes them."""
    os.rename(archive, f"{archive}.gone")
    with open(archive, "w"):
        pass
    until(lambda: place(status(programs), f"file://{archive}")["hold"] is not None
          or place(status(programs), f"file://{archive}")["jobs"]["failed"] > 0, "the lost folder shows", bridge.process)
    report = place(status(programs), f"file://{archive}")
    must((report["hold"] or report["lastError"])["advice"], "nothing is said of what helps")
    programs.ask("destination", "replace", f"file://{archive}", f"file://{spare}", "--json")


def broken_photo(programs):
    """The one that the gallery cannot use failed for good, has a story, and is taken back."""
    failed, _ = programs.ask("jobs", "--state", "failed", "--json")
    must(len(failed) == 1 and failed[0]["name"] == "BROKEN01.JPG", f"failed has {failed}")
    story, _ = programs.ask("why", "BROKEN01.JPG", "--json")
    must(len(story) == 1, "one photo has one story")
    programs.ask("retry", str(failed[0]["id"]), "--quiet")
    return failed[0]["id"]


def edits(programs, photos):
    """Made offline as well; sent when the gallery is there."""
    programs.ask("photo", "rate", "5", photos[0], "--quiet")
    programs.ask("photo", "caption", "The rings", photos[0], "--quiet")
    programs.ask("photo", "hide", photos[1], "--quiet")
    programs.ask("sync", "--now", "--json")
    until(lambda: all("edit" not in row for row in programs.ask("sync", "--json")[0]), "the gallery has every edit")


def drive(programs, work):
    password = os.path.join(work, "password")
    with open(os.open(password, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(secrets.token_hex(12) + "\n")
    data = os.path.join(work, "gallery")
    server = f"http://127.0.0.1:{programs.port('gallery', 'serve', '--listen', '127.0.0.1:0', '--data', data)}"
    made = subprocess.run([os.path.join(programs.folder, "gallery"), "user", "add", "ann@example.org", "--name", "Ann",
                           "--password-file", password, "--data", data], capture_output=True, text=True)  # fmt: skip
    must(made.returncode == 0, f"no account: {made.stderr}")
    event = gates(programs, server, password)

    card = os.path.join(work, "card", "DCIM", "100TETHR")
    os.makedirs(card)
    with open(os.path.join(card, "BROKEN01.JPG"), "wb") as file:
        file.write(BROKEN)
    shooting = programs.port("camsim", "--listen", "127.0.0.1:0", "--photos", "2", "--photo-size", "300000", "--shoot",
                             str(SHOTS), "--every", "300ms", "--serial", "A")  # fmt: skip
    second = programs.port("camsim", "--listen", "127.0.0.1:0", "--card", os.path.dirname(os.path.dirname(card)),
                           "--serial", "B")  # fmt: skip
    archive, spare = os.path.join(work, "archive"), os.path.join(work, "spare")
    for folder in (archive, spare):
        os.mkdir(folder)
    words = ["--event", event, "--since", "all", "--server", server, "--destination", f"file://{archive}", "--camera",
             f"127.0.0.1:{shooting}", "--camera", f"127.0.0.1:{second}"]  # fmt: skip
    bridge = Bridge(programs, *words)
    bridge.wait("camera", 2)
    bridge.wait("delivered", 1)
    lost_destination(programs, bridge, archive, spare)
    photos = 2 + SHOTS + 1
    bridge.wait("staged", photos)

    def settled():
        jobs = status(programs)["jobs"]
        return jobs["queued"] + jobs["uploading"] + jobs["awaiting"] == 0 and jobs["failed"] == 1

    until(settled, "every delivery has come to an end", bridge.process)
    job = broken_photo(programs)
    until(settled, "the photo that was tried again has failed again", bridge.process)
    programs.ask("cancel", str(job), "--quiet")
    report = status(programs)
    must(report["jobs"] == {"queued": 0, "uploading": 0, "awaiting": 0, "completed": 2 * photos - 1, "failed": 0},
         f"deliveries are {report['jobs']}")  # fmt: skip
    captures, _ = programs.ask("captures", "--state", "staged", "--json")
    good = [str(row["id"]) for row in captures if not row["path"].endswith("BROKEN01.JPG")]
    edits(programs, good)

    rows, _ = programs.ask("verify", "--json", codes=(1,))
    missing = [row["path"].split("/")[-1] for row in rows if row["verdict"] != "delivered"]
    must(len(rows) == photos and missing == ["BROKEN01.JPG"], f"verify misses {missing}")
    programs.ask("events", "close", "--quiet")
    bridge.stop()
    journal, _ = programs.ask("journal", "--json")
    must(any(entry["level"] != "info" for entry in journal), "the journal tells of nothing that went wrong")
    must(status(programs)["running"] is False, "a bridge runs")
    print(f"{photos} photos, {2 * photos - 1} deliveries, one that could not be, two edits: as it should be")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--bin", default=os.environ.get("TETHERLINE_BIN", os.path.join(top, ".build", "release")))
    folder = parser.parse_args().bin
    work = tempfile.mkdtemp(prefix="tetherline-event-")
    programs = Programs(folder, work)
    try:
        drive(programs, work)
    except Wrong as problem:
        for name in ("gallery", "tetherline", "camsim"):
            path = os.path.join(work, f"{name}.log")
            if os.path.exists(path):
                with open(path) as file:
                    sys.stderr.write(file.read()[-2000:])
        sys.exit(f"scripted_event: {problem}")
    finally:
        programs.end()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
