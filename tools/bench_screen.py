"""tools/bench screen: what a terminal's screen of a bridge costs while fifty photos a second pass.

One camera shoots fifty photos of 200 KB a second for twenty seconds, and `tetherline run` delivers them into a folder. The
same run is made three times: printing lines into a file, with its screen on a terminal that is read, and with its screen on
a terminal that no one reads. What the screen costs is the processor time that the second takes more than the first; that
it slows nothing is that the last photo is as soon in the folder. Beside the first there is `tetherline watch` on a
terminal, whose own processor time is the other cost, with what the bridge spends on answering it.
"""
import fcntl
import os
import pty
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import bench_progress

RATE = 50
SECONDS = 20
SIZE = 200_000
PATIENCE = 120.0


class Terminal:
    """The other end of a terminal of 80 by 24. One that is deaf is not read until its program has ended."""

    def __init__(self, isDeaf):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.read = 0
        self.isOver = False
        self.reader = threading.Thread(target=self.listen)
        if not isDeaf:
            self.reader.start()

    def listen(self):
        os.set_blocking(self.master, False)
        while not self.isOver:
            try:
                self.read += len(os.read(self.master, 1 << 16))
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                return

    def close(self):
        self.isOver = True
        if self.reader.is_alive():
            self.reader.join()
        os.close(self.slave)
        os.close(self.master)


def start(words, environment, terminal, scratch):
    """On the terminal, as its foreground; without one into a file."""
    environment = dict(environment, TERM="xterm-256color", LC_ALL="C.UTF-8")
    if terminal is None:
        with open(os.path.join(scratch, "lines"), "ab") as lines:
            return subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=lines, stderr=lines)

    def take():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    end = terminal.slave
    return subprocess.Popen(words, env=environment, stdin=end, stdout=end, stderr=end, preexec_fn=take)


def seconds(usage):
    return usage.ru_utime + usage.ru_stime


def shoot(binaries, scratch, kind):
    """Seconds until the last photo was there, processor seconds of the bridge and of a watch beside it, bytes drawn."""
    port_file = os.path.join(scratch, "port")
    count = RATE * SECONDS
    camera = subprocess.Popen(
        [os.path.join(binaries, "camsim"), "--listen", "127.0.0.1:0", "--port-file", port_file, "--photo-size",
         str(SIZE), "--photos", "0", "--shoot", str(count), "--every", f"{1000 // RATE}ms"],
        stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 10
    while not os.path.exists(port_file) and time.monotonic() < deadline:
        time.sleep(0.02)
    with open(port_file) as file:
        port = file.read().strip()
    environment = dict(os.environ, TETHERLINE_HOME=os.path.join(scratch, "home"))
    program = os.path.join(binaries, "tetherline")
    out = os.path.join(scratch, "out")
    own = Terminal(kind == "deaf") if kind in ("screen", "deaf") else None
    other = Terminal(False) if kind == "watch" else None
    began = time.time()
    bridge = start(
        [program, "run", "--camera", f"127.0.0.1:{port}", "--event", "Bench", "--destination", f"file://{out}",
         "--since", "all", "--once", "--idle", "2s"], environment, own, scratch)
    watch = start([program, "watch"], environment, other, scratch) if other else None
    usages = {}
    _, status, usages["bridge"] = os.wait4(bridge.pid, 0)
    if watch is not None:
        watch.terminate()
        _, _, usages["watch"] = os.wait4(watch.pid, 0)
    for terminal in (own, other):
        if terminal is not None:
            terminal.close()
    camera.terminate()
    camera.wait()
    moments = [os.stat(os.path.join(parent, name)).st_ctime for parent, _, names in os.walk(out) for name in names]
    arrived = len(moments)
    if os.waitstatus_to_exitcode(status) != 0 or arrived != count:
        sys.exit(f"bench: {kind}: {arrived} of {count} photos, and the bridge ended with {status}")
    wall = max(moments) - began
    drawn = sum(terminal.read for terminal in (own, other) if terminal is not None)
    watched = seconds(usages["watch"]) if watch is not None else 0.0
    return wall, seconds(usages["bridge"]), watched, drawn


def run(binaries, top, rounds):
    kinds = ("lines", "screen", "deaf", "watch")
    figures = {kind: [] for kind in kinds}
    for number in range(rounds):
        for kind in kinds:
            scratch = tempfile.mkdtemp(prefix="tetherline-bench-", dir=os.path.join(top, ".build"))
            try:
                measured = shoot(binaries, scratch, kind)
            finally:
                shutil.rmtree(scratch)
            figures[kind].append(measured)
            bench_progress.done(kind, number + 1, rounds, f"{measured[0]:.2f} s")
    median = {
        kind: [statistics.median(column) for column in zip(*rows)] for kind, rows in figures.items()
    }
    print(f"\n{RATE} photos a second of {SIZE // 1000} KB for {SECONDS} s; medians of {rounds}\n")
    print("| shown as | last photo s | bridge CPU s | watch CPU s | of a core, beside lines | bytes drawn |")
    print("|---|---|---|---|---|---|")
    for kind in kinds:
        wall, bridge, watch, drawn = median[kind]
        share = (bridge + watch - median["lines"][1]) / wall * 100
        print(f"| {kind} | {wall:.2f} | {bridge:.2f} | {watch:.2f} | {share:.1f} % | {drawn:.0f} |")
    slowest = max(median[kind][0] for kind in kinds)
    dearest = max(
        (median[kind][1] + median[kind][2] - median["lines"][1]) / median[kind][0] * 100 for kind in kinds)
    print(f"\nslowest against lines: {slowest / median['lines'][0]:.3f}; dearest: {dearest:.1f} % of a core")
