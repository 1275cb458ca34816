"""tools/bench troubled: what one bad photo, or a camera that never stops talking, costs the other photos and cameras.

A card of 100 photos whose 50th ends, stalls or puts out of step every connection in which it is asked for, until the
other 99 are durable, against a card of 99 good ones. And two cameras at one bridge, of which one floods: what the other
loses of its pace, how long `status` takes meanwhile, and how long the bridge takes to end by SIGTERM.
With --beside FOLDER another build of tetherline is measured in the same rounds, with the same cameras.
"""
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
import bench_progress

GOOD, BAD = 99, 50
# Guests do not wait longer at an event: a photo that has not come by then has not arrived.
PATIENCE = 25.0
POISONS = (
    ("closes the connection", "cut after=1000 object={0}"),
    ("stalls", "stall after=1000 object={0}"),
    ("wrong transaction", "out-of-step kind=wrong-transaction operation=0x1009 object={0}"),
    ("starts its data twice", "out-of-step kind=start-twice operation=0x1009 object={0}"),
    ("its description closes", "cut after=0 operation=0x1008 object={0}"),
    ("its description stalls", "stall after=0 operation=0x1008 object={0}"),
)
FLOODS = (
    ("events, on the event connection", "flood kind=events channel=event"),
    ("events, on the command connection", "flood kind=events channel=command"),
    ("probes, on the event connection", "flood kind=probes channel=event"),
    ("probes, on the command connection", "flood kind=probes channel=command"),
    ("ObjectAdded, on the event connection", "flood kind=objects channel=event"),
    ("ObjectAdded, on the command connection", "flood kind=objects channel=command"),
    ("empty Data instead of a photo", "flood kind=data channel=command from=operation operation=0x1009"),
)


class Bridge:
    """A running bridge whose lines are read as they come."""

    def __init__(self, tetherline, scratch, cameras, *more):
        self.tetherline = tetherline
        self.home = tempfile.mkdtemp(prefix="home-", dir=scratch)
        words = [tetherline, "run", "--event", "Bench", "--home", self.home, "--reserve", "0", "--since", "all", "--json",
                 "--destination", f"file://{self.home}/there?link=hard", *more]  # fmt: skip
        for camera in cameras:
            words += ["--camera", f"127.0.0.1:{camera.port}"]
        self.began = time.monotonic()
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def staged(self, count, size):
        """Seconds until so many photos are durable, and how many are; the seconds are what was waited at most."""
        watch = subprocess.Popen(["sleep", str(PATIENCE)])
        seen = 0
        os.set_blocking(self.process.stdout.fileno(), False)
        rest = b""
        while watch.poll() is None and self.process.poll() is None:
            more = self.process.stdout.read()
            if not more:
                time.sleep(0.002)
                continue
            *lines, rest = (rest + more).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event.get("event") == "staged" and event.get("size") == size:
                    seen += 1
            if seen >= count:
                break
        took = time.monotonic() - self.began
        watch.terminate()
        watch.wait()
        return took, seen

    def status(self):
        began = time.monotonic()
        words = [self.tetherline, "status", "--home", self.home, "--json"]
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=5)
        except subprocess.TimeoutExpired:
            return 5.0
        took = time.monotonic() - began
        # What the ledger says without the bridge is no answer.
        return took if done.returncode == 0 and b'"running":true' in done.stdout else 5.0

    def end(self):
        """Seconds from SIGTERM to the end; who needs more than five is killed."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        os.set_blocking(self.process.stdout.fileno(), True)
        try:
            self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        took = time.monotonic() - began
        shutil.rmtree(self.home)
        return took


def script(scratch, text):
    path = os.path.join(scratch, "faults")
    with open(path, "w") as file:
        file.write(text + "\n")
    return path


def one_poisoned(programs, make_camera, scratch, size, rate, rounds):
    limit = ["--rate", rate] if rate else []
    figures = {(kind, name): [] for kind in ["alone", *(kind for kind, _ in POISONS)] for name in programs}
    for number in range(rounds):
        for kind, fault in (("alone", None), *POISONS):
            for name, tetherline in programs.items():
                photos = ["--photo-size", str(size), *limit, "--photos", str(GOOD if fault is None else GOOD + 1)]
                if fault:
                    photos += ["--faults", script(scratch, fault.format(f"0x{0x10000 + BAD:08X}"))]
                camera = make_camera(scratch, *photos)
                bridge = Bridge(tetherline, scratch, [camera])
                figures[kind, name].append(bridge.staged(GOOD, size))
                bench_progress.done(f"{kind}, {name}", number + 1, rounds, f"{figures[kind, name][-1][0]:.2f} s")
                bridge.process.kill()
                bridge.end()
                camera.stop()
    pace = f" at {rate} a second" if rate else ""
    print(f"\n{GOOD} photos of {size} bytes{pace} beside a poisoned one, until they are durable; medians of {rounds}\n")
    print("| the bad photo |" + "".join(f" {name}: s | × |" for name in programs))
    print("|---|" + "---|---|" * len(programs))
    for kind in ["alone", *(kind for kind, _ in POISONS)]:
        cells = ""
        for name in programs:
            alone = statistics.median(took for took, _ in figures["alone", name])
            took = statistics.median(took for took, _ in figures[kind, name])
            seen = min(seen for _, seen in figures[kind, name])
            there = f"{took:.2f}" if seen >= GOOD else f"{seen} of {GOOD} after {took:.0f}"
            cells += f" {there} | {took / alone:.2f} |"
        print(f"| {kind} |{cells}", flush=True)


def floods(programs, make_camera, scratch, size, rate, rounds):
    photos = 20
    kinds = [("a second camera that is quiet", None), *FLOODS]
    figures = {(kind, name): [] for kind, _ in kinds for name in programs}
    for number in range(rounds):
        for kind, fault in kinds:
            for name, tetherline in programs.items():
                other = make_camera(
                    scratch, "--photos", "1", "--photo-size", "100000", "--serial", "2",
                    *(["--faults", script(scratch, fault)] if fault else []))  # fmt: skip
                good = make_camera(
                    scratch, "--photos", str(photos), "--photo-size", str(size), "--rate", rate, "--seed", "7")  # fmt: skip
                bridge = Bridge(tetherline, scratch, [other, good])
                # While it is at its worst.
                time.sleep(0.3)
                asked = statistics.median(bridge.status() for _ in range(3))
                took, seen = bridge.staged(photos, size)
                figures[kind, name].append((took if seen >= photos else PATIENCE, asked, bridge.end()))
                bench_progress.done(f"{kind}, {name}", number + 1, rounds, f"{took:.2f} s")
                good.stop()
                other.process.kill()
                other.process.wait()
    print(f"\ntwo cameras at one bridge: {photos} photos of {size} bytes at {rate} a second from one while the other floods;"
          f" medians of {rounds}\n")  # fmt: skip
    print("| the other camera |" + "".join(f" {name}: s | loss | status ms | end s |" for name in programs))
    print("|---|" + "---|---|---|---|" * len(programs))
    for kind, _ in kinds:
        cells = ""
        for name in programs:
            quiet = statistics.median(row[0] for row in figures[kinds[0][0], name])
            took, asked, end = (statistics.median(column) for column in zip(*figures[kind, name]))
            cells += f" {took:.2f} | {100 * (1 - quiet / took):.0f} % | {asked * 1000:.0f} | {end:.2f} |"
        print(f"| {kind} |{cells}", flush=True)


def main(arguments, tetherline, make_camera, place):
    programs = {"tetherline": tetherline}
    if arguments.beside:
        programs = {"before": os.path.join(arguments.beside, "tetherline"), "after": tetherline}
    scratch = tempfile.mkdtemp(prefix="bench-", dir=place)
    try:
        rounds = arguments.rounds
        if arguments.only in (None, "tiny"):
            one_poisoned(programs, make_camera, scratch, 20_000, None, rounds)
        if arguments.only in (None, "large"):
            one_poisoned(programs, make_camera, scratch, 10_000_000, "100MiB", rounds)
        if arguments.only in (None, "floods"):
            floods(programs, make_camera, scratch, 8_000_000, "40MiB", rounds)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
