"""tools/bench tether: eight cameras of three makes at one bridge, and one camera beside gphoto2.

Eight cameras shoot two photos of 8 MB a second for 27 s, with ten a second for 3 s in the middle, while one
`tetherline run` on two processors takes them; the cameras have the other processors where there are any. What has
arrived is held against what each camera says of its photos at its end (`camsim --manifest`), by Python's hashlib.

Delays are read out of the cameras' own recordings: from the shutter, or from the Event packet of a body that pushes
one, to the last byte; the transfer itself, from the first request for the photo to that byte, is taken off again. A
Sony's photo cannot be read before it is ready, which camsim's bodies take a fixed time for: that is taken off as well.
"""
import collections
import hashlib
import json
import os
import selectors
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import bench_progress

SIZE = 8_000_000
TRANSFERS = (0x1009, 0x101B, 0x9104, 0x9107, 0x912C, 0x9172, 0x9174, 0x9400, 0x9431, 0x923D, 0x95C1)
PUSHED = (0x4002,)
# All photos in a Sony's memory have this one.
OLDEST_IN_MEMORY = 0xFFFFC001
# Names and what they are told to be; whether new photos are pushed; seconds until a photo is ready; how long the driver
# waits between two questions at the most.
Model = collections.namedtuple("Model", "name script pushes ready poll")
EIGHT = (
    Model("canon-r6", None, False, 0, 0.2),
    Model("canon-80d", None, False, 0, 0.2),
    Model("nikon-z6", None, True, 0, 0.2),
    Model("nikon-z8", "nikon-paired", False, 0, 0.2),
    Model("nikon-d7200", None, False, 0.3, 0.25),
    Model("sony-a7m3", None, False, 0.2, 0.25),
    Model("sony-a7m4", None, False, 0.12, 0.1),
    Model("sony-rx100m7", None, False, 0.15, 0.1),
)
BESIDE = (Model("generic", None, True, 0, 0), Model("nikon-z6ii", None, False, 0, 0.2))
PATIENCE = 240.0
IDLE = 20.0


def processors():
    """For the client, and for the cameras."""
    count = os.cpu_count()
    return "0,1", f"2-{count - 1}" if count > 2 else "0,1"


class Listener:
    """Reads the lines of many programs as they come, each with its time."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.lines = collections.defaultdict(list)
        self.rests = {}
        self.isOver = False
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def hear(self, who, stream):
        os.set_blocking(stream.fileno(), False)
        self.rests[who] = b""
        self.selector.register(stream, selectors.EVENT_READ, who)

    def listen(self):
        while not self.isOver:
            for key, _ in self.selector.select(0.2):
                now, more = time.time(), key.fileobj.read()
                if more is None:
                    continue
                if not more:
                    self.selector.unregister(key.fileobj)
                    continue
                *whole, self.rests[key.data] = (self.rests[key.data] + more).split(b"\n")
                self.lines[key.data] += [(now, line.decode(errors="replace")) for line in whole]

    def times(self, who, text):
        return [moment for moment, line in list(self.lines[who]) if text in line]

    def wait(self, who, text, count, process, patience=PATIENCE):
        until = time.monotonic() + patience
        while len(self.times(who, text)) < count and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
        return len(self.times(who, text))

    def end(self):
        self.isOver = True
        self.thread.join()


class ShootingCamera:
    def __init__(self, camsim, scratch, model, number, listener, shooting):
        self.model, self.listener = model, listener
        self.who = f"camera {number}"
        self.recording = os.path.join(scratch, f"{number}.pcap")
        self.manifest = os.path.join(scratch, f"{number}.photos")
        port_file = os.path.join(scratch, f"{number}.port")
        words = ["taskset", "-c", processors()[1], camsim, "--listen", "127.0.0.1:0", "--port-file", port_file,
                 "--model", model.name, "--serial", str(1000 + number), "--seed", str(number), "--photos", "0",
                 "--photo-size", str(SIZE), "--record", self.recording, "--without-photos",
                 "--manifest", self.manifest, *shooting]  # fmt: skip
        if model.script:
            script = os.path.join(scratch, f"{number}.faults")
            with open(script, "w") as file:
                file.write(model.script + "\n")
            words += ["--faults", script]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE)
        listener.hear(self.who, self.process.stdout)
        until = time.monotonic() + 10
        while not os.path.exists(port_file):
            if time.monotonic() > until or self.process.poll() is not None:
                sys.exit(f"bench: no {model.name} has come up")
            time.sleep(0.02)
        with open(port_file) as file:
            self.port = int(file.read())
        os.remove(port_file)

    def stop(self):
        """Its photos, by hash, once it has written them down."""
        self.process.terminate()
        self.process.wait()
        with open(self.manifest) as file:
            return [line.split()[0] for line in file]

    def shutters(self):
        return self.listener.times(self.who, "photo taken")

    def delays(self):
        """For each photo, milliseconds from its notice to its last byte: all of them, and without the transfer itself."""
        photos, pushed = read_recording(self.recording, self.port)
        begins = self.shutters()
        if len(photos) != len(begins):
            sys.exit(f"bench: {self.model.name} has taken {len(begins)} photos, and {len(photos)} were transferred")
        found = []
        for begin, (handle, asked, ended) in zip(begins, photos):
            if self.model.pushes:
                begin = pushed[handle]
            begin += self.model.ready
            found.append((1000 * (ended - begin), 1000 * (asked - begin)))
        return found


def read_recording(path, port):
    """The photos in the order in which they were taken, with the times of the first request and of the last byte; and
    when each was told of by an Event packet."""
    photos, pushed, waiting, left, is_end = [], {}, None, {}, {}
    known = {}
    for moment, is_from_camera, flow, payload, length in segments(path, port):
        key = (flow, is_from_camera)
        if left.get(key, 0) > 0:
            left[key] -= length
        elif len(payload) >= 8:
            size, kind = struct.unpack_from("<II", payload)
            left[key], is_end[key] = size - length, kind == 12
            if kind == 6:
                waiting = request(payload, moment)
            elif kind == 8 and is_from_camera and len(payload) >= 18:
                code, _, handle = struct.unpack_from("<HII", payload, 8)
                if code in PUSHED:
                    pushed.setdefault(handle, moment)
        # The transfer is over with each End Data; the last one of a photo counts.
        if is_from_camera and is_end.get(key) and left.get(key, 0) <= 0 and waiting:
            handle, asked, is_first = waiting
            if handle not in known or (handle == OLDEST_IN_MEMORY and is_first):
                known[handle] = len(photos)
                photos.append((handle, asked, moment))
            else:
                photos[known[handle]] = (handle, photos[known[handle]][1], moment)
            waiting = None
    # Of a card: by number. Out of a memory: one after the other.
    photos.sort(key=lambda photo: photo[0] & 0x0FFF_FFFF)
    return photos, pushed


def request(payload, moment):
    """Of a request for the bytes of an object: which, when, and whether from its beginning."""
    code = struct.unpack_from("<H", payload, 12)[0]
    parameters = struct.unpack_from(f"<{(len(payload) - 18) // 4}I", payload, 18)
    if code not in TRANSFERS or not parameters:
        return None
    return parameters[0], moment, code in (0x1009, 0x9104) or parameters[1:2] == (0,)


def segments(path, port):
    """Time, direction, connection, captured payload and its length on the wire, of each segment that has any."""
    with open(path, "rb") as file:
        file.read(24)
        while len(head := file.read(16)) == 16:
            seconds, microseconds, captured, length = struct.unpack("<IIII", head)
            frame = file.read(captured)
            after_ip = (frame[0] & 15) * 4
            source, target = struct.unpack_from(">HH", frame, after_ip)
            header = after_ip + (frame[after_ip + 12] >> 4) * 4
            if length > header:
                flow = target if source == port else source
                yield seconds + microseconds / 1e6, source == port, flow, frame[header:], length - header


class TetheringBridge:
    """One `tetherline run` for all of them."""

    def __init__(self, tetherline, scratch, cameras, listener):
        self.home = tempfile.mkdtemp(prefix="home-", dir=scratch)
        words = ["taskset", "-c", processors()[0], tetherline, "run", "--event", "Bench", "--home", self.home,
                 "--reserve", "0", "--since", "all", "--json",
                 "--destination", f"file://{self.home}/there?link=hard"]  # fmt: skip
        for camera in cameras:
            words += ["--camera", f"127.0.0.1:{camera.port}"]
        self.errors = open(os.path.join(scratch, "errors"), "w")
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.errors)
        listener.hear(self.home, self.process.stdout)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """Megabytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.errors.close()

    def arrived(self):
        found = []
        for parent, _, names in os.walk(os.path.join(self.home, "there")):
            for name in names:
                with open(os.path.join(parent, name), "rb") as file:
                    found.append(hashlib.file_digest(file, "sha256").hexdigest())
        return found


def eight(tetherline, camsim, scratch, shots, burst):
    listener = Listener()
    shooting = ["--shoot", str(shots), "--every", "500ms", "--burst", f"{burst}@100ms"]
    cameras = [
        ShootingCamera(camsim, scratch, model, number + 1, listener, shooting)
        for number, model in enumerate(EIGHT)
    ]
    bridge = TetheringBridge(tetherline, scratch, cameras, listener)
    total = len(cameras) * (shots + burst)
    began = time.monotonic()
    got = listener.wait(bridge.home, '"event":"staged"', total, bridge.process)
    took, spent, peak = time.monotonic() - began, bridge.processor_seconds(), bridge.peak()
    bench_progress.done("eight cameras", 1, 1, f"{got} of {total} photos durable after {took:.1f} s")
    listener.wait(bridge.home, '"event":"delivered"', total, bridge.process)
    # What is still to be tidied up is no idling.
    time.sleep(3)
    before = bridge.processor_seconds()
    time.sleep(IDLE)
    idle = bridge.processor_seconds() - before
    bridge.end()
    taken = [digest for camera in cameras for digest in camera.stop()]
    arrived = bridge.arrived()
    same = collections.Counter(arrived) == collections.Counter(taken)
    print(f"\neight cameras, {total} photos of {SIZE / 1e6:g} MB, load {os.getloadavg()[0]:.1f} at the end\n")
    print(f"taken {len(taken)}, arrived {len(arrived)}, {'each with its hash' if same else 'NOT THE SAME'}")
    print(f"{took:.1f} s, {spent:.1f} CPU s, which is {100 * spent / took / len(cameras):.1f} % of a core for each"
          f" camera; peak {peak:.1f} MB for all; idle {100 * idle / IDLE / len(cameras):.2f} % of a core for each")  # fmt: skip
    print("\n| model | noticed by | median ms over the transfer | 90 of 100 | from the notice to the last byte | goal |")
    print("|---|---|---|---|---|---|")
    for camera in cameras:
        delays = camera.delays()
        over = sorted(row[1] for row in delays)
        print(f"| {camera.model.name} | {'Event' if camera.model.pushes else 'asking'} |"
              f" {statistics.median(over):.1f} | {over[len(over) * 9 // 10]:.1f} |"
              f" {statistics.median(row[0] for row in delays):.1f} |"
              f" {5 if camera.model.pushes else 1000 * camera.model.poll:g} |")  # fmt: skip
    listener.end()
    print(flush=True)
    if not same:
        sys.exit("bench: what has arrived is not what was taken")


def alone(tetherline, camsim, scratch, model, is_ours, count):
    """The delays of one camera at one client, from the notice to the last byte."""
    listener = Listener()
    camera = ShootingCamera(camsim, scratch, model, 1, listener, ["--shoot", str(count), "--every", "500ms"])
    if is_ours:
        bridge = TetheringBridge(tetherline, scratch, [camera], listener)
        listener.wait(bridge.home, '"event":"delivered"', count, bridge.process, count / 2 + 20)
        bridge.end()
        shutil.rmtree(bridge.home)
    else:
        folder = tempfile.mkdtemp(prefix="theirs-", dir=scratch)
        words = ["taskset", "-c", processors()[0], "stdbuf", "-oL", "gphoto2", "--camera", "PTP/IP Camera",
                 "--port", f"ptpip:127.0.0.1:{camera.port}:{camera.port}", "--capture-tethered", "--keep",
                 "--force-overwrite", "--filename", "%n.%C"]  # fmt: skip
        environment = dict(os.environ, HOME=folder, LANG="C")
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        listener.hear("gphoto2", process.stdout)
        listener.wait("gphoto2", "Saving file as", count, process, count / 2 + 20)
        # It says so before it has written the last one.
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.wait()
        shutil.rmtree(folder)
    camera.stop()
    found = camera.delays()
    listener.end()
    return found


def beside(tetherline, camsim, scratch, rounds, count):
    names = {"tetherline run": True, "gphoto2 2.5.28 --capture-tethered": False}
    rows = collections.defaultdict(list)
    for number in range(rounds):
        for model in BESIDE:
            for name, is_ours in names.items():
                delays = alone(tetherline, camsim, scratch, model, is_ours, count)
                rows[model, name].append([statistics.median(column) for column in zip(*delays)])
                bench_progress.done(
                    f"{name}, {model.name}", number + 1, rounds, f"{rows[model, name][-1][0]:.1f} ms"
                )
    print(f"\none camera, {count} photos of {SIZE / 1e6:g} MB, two a second: medians of {rounds} alternating rounds, ms,"
          f" with the least and the most; load {os.getloadavg()[0]:.1f}\n")  # fmt: skip
    print("| model | client | from the notice to the last byte | over the transfer |")
    print("|---|---|---|---|")
    for (model, name), medians in rows.items():
        cells = [f"{statistics.median(column):.1f} ({min(column):.1f} to {max(column):.1f})" for column in zip(*medians)]
        told = "Event" if model.pushes else "shutter"
        print(f"| {model.name}, from its {told} | {name} | {cells[0]} | {cells[1]} |")
    print(flush=True)


def main(arguments, tetherline, camsim, place):
    scratch = tempfile.mkdtemp(prefix="bench-", dir=place)
    try:
        if arguments.only in (None, "eight"):
            eight(tetherline, camsim, scratch, 54, 30)
        if arguments.only in (None, "beside"):
            beside(tetherline, camsim, scratch, arguments.rounds, 20)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
