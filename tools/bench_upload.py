"""tools/bench upload: photos that lie in the spool, to a real object store, beside curl and rclone.

All send the same files at most four at a time. curl is given URLs that were signed before the clock runs, with the
same headers, so that the store checks the same. Tetherline's time holds starting, recovery, opening the ledger and
writing down a job for every photo; what a start costs that finds nothing to do is measured by itself.
"""
import base64
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import storing
import bench_progress

AT_A_TIME = 4
EVENT = "Bench"
# Every program puts its objects there: a store looks for the folder of each.
PREFIX = "photos"
KINDS = (("200 × 8 MB", 200, 8_000_000), ("2,000 × 100 KB", 2000, 100_000))
LIMITED = f"tetherline, at most {AT_A_TIME} at a time"
AS_IT_COMES = "tetherline as it comes"
CURL = "curl --parallel, URLs signed in advance"
RCLONE = "rclone 1.75, as it comes"
RCLONE_FAST = "rclone 1.75, checks off"


def measured(words, environment, folder):
    """Wall seconds, processor seconds, peak memory in MB. What a process is started by counts as its memory until it
    is itself, and that would be ours; so a smaller program starts it."""
    said, peak = os.path.join(folder, "said"), os.path.join(folder, "peak")
    with open(said, "w") as out:
        began = time.monotonic()
        process = subprocess.Popen(
            ["/usr/bin/time", "-f", "%M", "-o", peak, *words], env=environment, cwd=folder, stdout=out, stderr=out
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        with open(said) as text:
            sys.exit(f"bench: {words[0]} ended with {process.returncode}: {text.read()[-600:]}")
    with open(peak) as text:
        return wall, usage.ru_utime + usage.ru_stime, int(text.read()) / 1024


class Staged:
    """A home with photos that were not sent yet, and copies of it for every run."""

    def __init__(self, folder, tetherline, make_camera, photos, size):
        self.tetherline = tetherline
        self.folder = tempfile.mkdtemp(prefix="staged-", dir=folder)
        self.home = os.path.join(self.folder, "home")
        camera = make_camera(self.folder, "--photos", str(photos), "--photo-size", str(size))
        try:
            words = self.command(self.home) + ["--camera", f"127.0.0.1:{camera.port}", "--reserve", "0"]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        finally:
            camera.stop()
        (event,) = [name for name in os.listdir(os.path.join(self.home, "spool")) if name != "incoming"]
        self.spool = os.path.join(self.home, "spool", event)
        self.files = sorted(os.listdir(self.spool))
        if len(self.files) != photos:
            sys.exit(f"bench: {len(self.files)} photos of {photos} were staged")
        self.sizes = {name: os.path.getsize(os.path.join(self.spool, name)) for name in self.files}

    def command(self, home, *more):
        words = [self.tetherline, "run", "--home", home, "--event", EVENT, "--once", "--since", "all"]
        return [*words, "--idle", "0s", *more]

    def copy_home(self, limit=None):
        """The photos themselves are linked: no program writes into them."""
        home = os.path.join(self.folder, "copy")
        shutil.rmtree(home, ignore_errors=True)
        spool = os.path.join(self.home, "spool")
        shutil.copytree(self.home, home, ignore=shutil.ignore_patterns("control.sock", "spool"))
        shutil.copytree(spool, os.path.join(home, "spool"), copy_function=os.link)
        if limit:
            with open(os.path.join(home, "config.json5"), "w") as file:
                file.write(f"{{ network: {{ interfaces: {{ lo: {{ limit: {limit} }} }} }} }}\n")
        return home


def signed(store, bucket, staged):
    """What curl reads: every file with a URL and the headers that belong to it."""
    import hashlib

    path = os.path.join(staged.folder, "curl")
    with open(path, "w") as config:
        for number, name in enumerate(staged.files):
            with open(os.path.join(staged.spool, name), "rb") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
            checksum = base64.b64encode(digest).decode()
            url = store.client.generate_presigned_url("put_object", ExpiresIn=3600, Params={
                "Bucket": bucket, "Key": f"{PREFIX}/{name}", "ChecksumSHA256": checksum, "IfNoneMatch": "*",
                "ContentType": "image/jpeg", "Metadata": {"sha256": digest.hex()}})  # fmt: skip
            lines = ["next"] if number else []
            lines += [f'url = "{url}"', f'upload-file = "{staged.spool}/{name}"', "output = /dev/null", "fail", "silent"]
            lines += [f'header = "x-amz-checksum-sha256: {checksum}"', f'header = "x-amz-meta-sha256: {digest.hex()}"']
            lines += ['header = "If-None-Match: *"', 'header = "Content-Type: image/jpeg"', 'header = "Expect:"']
            config.write("\n".join(lines) + "\n")
    return path


def contestants(staged, store):
    """Each makes, for a new bucket, what is run; that is not measured."""
    environment = dict(os.environ, **store.environment, LANG="C")
    remote = {"RCLONE_CONFIG_S_TYPE": "s3", "RCLONE_CONFIG_S_PROVIDER": "SeaweedFS", "RCLONE_CONFIG_S_ENV_AUTH": "true"}
    remote |= {"RCLONE_CONFIG_S_ENDPOINT": store.endpoint, "RCLONE_CONFIG": "/dev/null"}
    rclone = os.path.join(storing.PYTHON, "bin", "rclone")
    copy = [rclone, "copy", staged.spool, "--transfers", str(AT_A_TIME), "--quiet"]
    fast = ["--s3-no-check-bucket", "--s3-no-head", "--s3-disable-checksum", "--ignore-checksum", "--no-traverse"]
    fast += ["--no-check-dest"]

    def ours(limit):
        def make(bucket):
            home = staged.copy_home(limit)
            return staged.command(home, "--destination", store.url(bucket, PREFIX)), environment

        return make

    def curl(bucket):
        words = ["curl", "--parallel", "--parallel-max", str(AT_A_TIME), "--config", signed(store, bucket, staged)]
        return words, environment

    found = {LIMITED: ours(AT_A_TIME), AS_IT_COMES: ours(None), CURL: curl}
    if os.access(rclone, os.X_OK):
        found[RCLONE] = lambda bucket: ([*copy, f"s:{bucket}/{PREFIX}"], environment | remote)
        found[RCLONE_FAST] = lambda bucket: ([*copy, *fast, f"s:{bucket}/{PREFIX}"], environment | remote)
    else:
        print("bench: there is no rclone here: tools/setup", file=sys.stderr)
    return found


def compare(title, staged, store, rounds):
    found = contestants(staged, store)
    figures = {label: [] for label in found}
    starts = []
    for number in range(rounds + 1):
        # The program that goes first has another disk under it than the last.
        labels = list(found)[number % len(found) :] + list(found)[: number % len(found)]
        for label in labels:
            bucket = f"bench-{number}-{list(found).index(label)}"
            store.make_bucket(bucket)
            words, environment = found[label](bucket)
            os.sync()
            row = measured(words, environment, staged.folder)
            there = sorted(store.objects(bucket).values())
            if there != sorted(staged.sizes.values()):
                sys.exit(f"bench: {label} has brought {len(there)} objects of {len(staged.files)}")
            bench_progress.done(label, number, rounds, f"{row[0]:.2f} s")
            # The first round fills caches.
            if number > 0:
                figures[label].append(row)
                if label == LIMITED:
                    starts.append(measured(words, environment, staged.folder))
            store.drop_bucket(bucket)
    report(title, figures, starts)


def report(title, figures, starts):
    print(f"\n{title}; medians of {len(starts)}\n")
    print("| client | wall s | CPU s | peak MB |")
    print("|---|---|---|---|")
    medians = {label: [statistics.median(column) for column in zip(*rows)] for label, rows in figures.items()}
    for label, (wall, cpu, memory) in medians.items():
        print(f"| {label} | {wall:.2f} | {cpu:.2f} | {memory:.1f} |")
    wall, cpu, _ = (statistics.median(column) for column in zip(*starts))
    print(f"\na start of tetherline's that finds nothing to do: {wall:.2f} s, {cpu:.2f} CPU s")
    for label in (CURL, RCLONE, RCLONE_FAST):
        if label in medians:
            ratios = [medians[LIMITED][column] / medians[label][column] for column in (0, 1)]
            print(f"against {label}: {ratios[0]:.2f} of its time, {ratios[1]:.2f} of its CPU", flush=True)


# MARK: From the camera to the receipt


def notices(recording, port):
    """When the camera told of each photo, as its own side was recorded."""
    words = ["tshark", "-r", recording, "-d", f"tcp.port=={port},ptpip", "-Y", "ptpip.eventcode == 0x4002"]
    words += ["-T", "fields", "-e", "frame.time_epoch"]
    shown = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [float(line) for line in shown.stdout.split()]


def receipts(words, environment, folder):
    """When a run has said of each photo that it is delivered, in the order in which they were announced."""
    found = {}
    with open(os.path.join(folder, "errors"), "w") as errors:
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=errors)
        for line in process.stdout:
            now = time.time()
            event = json.loads(line)
            if event["event"] == "delivered":
                found[event["capture"]] = now
    if process.wait() != 0:
        sys.exit(f"bench: {words[0]} ended with {process.returncode}")
    return [found[capture] for capture in sorted(found)]


def alone(store, staged, port):
    """Milliseconds of each transfer by itself, by others' programs: libgphoto2 fetches, curl puts."""
    store.make_bucket("alone")
    config = signed(store, "alone", staged)
    with open(config, "a") as file:
        file.write('write-out = "%{time_total}\\n"\n')
    shown = subprocess.run(["curl", "--config", config], check=True, capture_output=True, text=True)
    put = 1000 * statistics.median(float(line) for line in shown.stdout.split())
    store.drop_bucket("alone")
    target = os.path.join(staged.folder, "fetched")
    os.makedirs(target)
    fetch = [os.path.join(storing.PYTHON, "bin", "python"), os.path.join(storing.TOP, "tools", "gphoto-fetch")]
    shown = subprocess.run([*fetch, port, target], check=True, capture_output=True, text=True)
    fetched = json.loads(shown.stdout)
    shutil.rmtree(target)
    return 1000 * fetched["seconds"] / fetched["files"], put


def latency(folder, tetherline, make_camera, store, rounds, size):
    count = 100
    staged = Staged(folder, tetherline, make_camera, count, size)
    camera = make_camera(folder, "--photos", str(count), "--photo-size", str(size))
    fetch, put = alone(store, staged, camera.port)
    camera.stop()
    environment = dict(os.environ, **store.environment)
    medians, lasts = [], []
    for number in range(rounds):
        bucket = f"shots-{number}"
        store.make_bucket(bucket)
        recording = os.path.join(folder, "recording.pcap")
        camera = make_camera(
            folder, "--photos", "0", "--photo-size", str(size), "--shoot", str(count), "--every", "100ms",
            "--record", recording, "--without-photos")  # fmt: skip
        home = os.path.join(folder, "shooting")
        shutil.rmtree(home, ignore_errors=True)
        words = [tetherline, "run", "--home", home, "--event", EVENT, "--once", "--since", "all", "--idle", "2s"]
        words += ["--camera", f"127.0.0.1:{camera.port}", "--destination", store.url(bucket, PREFIX), "--json"]
        os.sync()
        ends = receipts(words, environment, folder)
        camera.stop()
        begins = notices(recording, camera.port)
        if len(begins) != count or len(ends) != count:
            sys.exit(f"bench: {len(begins)} photos were announced and {len(ends)} delivered, of {count}")
        spans = sorted(1000 * (end - begin) for begin, end in zip(begins, ends))
        medians.append(statistics.median(spans))
        lasts.append(spans[98])
        bench_progress.done("from notice to receipt", number + 1, rounds, f"{medians[-1]:.1f} ms")
        store.drop_bucket(bucket)
    median, last, sum_ = statistics.median(medians), statistics.median(lasts), fetch + put
    print(f"\n{count} photos of {size / 1e6:g} MB, ten a second, from ObjectAdded to the receipt, medians of {rounds}:")
    print(f"alone: {fetch:.1f} ms to fetch one (libgphoto2), {put:.1f} ms to put one (curl)")
    print(f"median {median:.1f} ms, {median - sum_:.1f} over the two; 99 of 100 {last:.1f} ms, {last - sum_:.1f} over")


def upload(arguments, tetherline, make_camera):
    storing.needs_what_it_needs()
    place = os.path.join(storing.TOP, ".build")
    scratch = tempfile.mkdtemp(prefix="bench-", dir=place)
    try:
        with storing.Store(scratch) as store:
            for title, photos, size in KINDS:
                if arguments.only and str(photos) != arguments.only:
                    continue
                staged = Staged(scratch, tetherline, make_camera, photos, size)
                compare(title, staged, store, arguments.rounds)
                shutil.rmtree(staged.folder)
            if not arguments.only or arguments.only == "latency":
                latency(scratch, tetherline, make_camera, store, arguments.rounds, 2_000_000)
    finally:
        shutil.rmtree(scratch)
