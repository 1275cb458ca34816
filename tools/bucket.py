"""An object store in a bad network's other end, and what lies in it, for prove-network and prove-uplink."""
import fcntl
import hashlib
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import badnet
import proving

BUCKET = "photos"
S3_PORT, FILER_PORT = 8333, 8888
KEYS = {"AWS_ACCESS_KEY_ID": "testkey", "AWS_SECRET_ACCESS_KEY": "testsecret", "AWS_REGION": "us-east-1"}
# What this machine's user has is no business of these programs.
NOBODYS = {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


def weed():
    path = os.path.join(proving.TOP, ".build/python/bin/weed")
    if not os.access(path, os.X_OK):
        sys.exit("there is no SeaweedFS: tools/setup")
    return path


class Bucket:
    """SeaweedFS on the store's address, and nowhere else."""

    def __init__(self, network, folder):
        # Its parts speak to each other over sockets that are called after their ports, wherever its network is: a second
        # one would take them away from the first.
        self.turn = open(os.path.join(tempfile.gettempdir(), f"seaweedfs-{S3_PORT}.turn"), "w")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        self.network = network
        self.folder = tempfile.mkdtemp(prefix="bucket-", dir=folder)
        self.said = os.path.join(self.folder, "said")
        words = [weed(), "mini", f"-dir={self.folder}", f"-ip={badnet.STORE}", f"-ip.bind={badnet.STORE}"]
        words += ["-master.telemetry=false", "-admin.ui=false", "-webdav=false", "-s3.port.lance=0"]
        words += ["-s3.port.iceberg=0", "-filer.maxMB=16", f"-s3.port={S3_PORT}", f"-filer.port={FILER_PORT}"]
        environment = {**os.environ, **KEYS, "S3_BUCKET": BUCKET}
        with open(self.said, "w") as said:
            network.start(network.store, words, stdout=said, stderr=said, env=environment)
        until = time.monotonic() + 60
        while "All enabled components are running" not in self.words():
            if time.monotonic() > until:
                raise proving.Wrong(f"SeaweedFS does not start: {self.words()[-600:]}")
            time.sleep(0.1)

    def words(self):
        with open(self.said) as said:
            return said.read()

    def url(self, prefix, host=badnet.STORE):
        return f"s3://{BUCKET}/{prefix}?endpoint=http://{host}:{S3_PORT}&style=path&region=us-east-1"

    def contents(self, prefix):
        """Name and SHA-256 of everything below a prefix, by the store's own door and not over the bad network."""
        return self.network.store.inside(lambda: {name: self.digest(f"{prefix}/{name}") for name in self.names(prefix)})

    def names(self, prefix):
        names, last = [], ""
        while True:
            words = urllib.parse.urlencode({"limit": 1000, "lastFileName": last})
            answer = self.get(f"/buckets/{BUCKET}/{prefix}/?{words}", {"Accept": "application/json"}) or "{}"
            entries = json.loads(answer).get("Entries") or []
            names += [os.path.basename(entry["FullPath"]) for entry in entries]
            if len(entries) < 1000:
                return names
            last = names[-1]

    def digest(self, name):
        return hashlib.sha256(self.get(f"/buckets/{BUCKET}/{urllib.parse.quote(name)}") or b"").hexdigest()

    def get(self, path, headers=None):
        connection = http.client.HTTPConnection(badnet.STORE, FILER_PORT, timeout=60)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            body = answer.read()
            return body if answer.status == 200 else None
        finally:
            connection.close()


class Staged:
    """Homes in which so many photos of one size wait on the spool, each a copy of one that a camera has filled."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.homes = {}

    def home(self, name, count, size):
        """A new place with its own copy, and the SHA-256 of what is on the card, by name."""
        if (count, size) not in self.homes:
            self.homes[count, size] = self.fill(count, size)
        filled, card = self.homes[count, size]
        folder = os.path.join(self.scratch, name)
        shutil.copytree(filled.folder, folder, ignore=shutil.ignore_patterns("control.sock"))
        return proving.Place(folder), card

    def fill(self, count, size):
        place = proving.Place(os.path.join(self.scratch, f"filled-{count}-{size}"))
        os.makedirs(place.folder)
        words = ["--photos", str(count), "--photo-size", str(size)]
        with proving.Camera(self.scratch, *words) as camera:
            command = [proving.TETHERLINE, "run", "--camera", camera.address, "--event", proving.EVENT]
            command += ["--home", place.home, "--since", "all", "--once", "--idle", "0s"]
            filled = subprocess.run(command, capture_output=True, text=True, timeout=proving.PATIENCE)
            if filled.returncode != 0:
                raise proving.Wrong(f"the spool cannot be filled: {proving.reason(filled.stderr)}")
            card = camera.copy_card()
        return place, {os.path.basename(path): place.digest(path) for path in proving.files_below(card)}


class Run:
    """`tetherline run --once` in the desk's namespace."""

    def __init__(self, network, place, url=None, before=(), user=None, more=(), environment=(), event=proving.EVENT):
        self.network, self.place = network, place
        self.out, self.errors = (os.path.join(place.folder, name) for name in ("said", "complained"))
        # The longest that it waits for a network that has gone is not what is proved here.
        words = [proving.TETHERLINE, "run", "--event", event, "--home", place.home, "--once", "--retry", "1h", "--json"]
        words += ["--destination", url, "--idle", "0s"] if url else []
        words += more
        variables = {**os.environ, **KEYS, **NOBODYS, **dict(environment)}
        self.began = time.monotonic()
        with open(self.out, "w") as out, open(self.errors, "w") as errors:
            self.process = network.start(
                network.desk, [*before, *words], stdout=out, stderr=errors, env=variables, user=user)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.network.end(self.process)

    def events(self):
        with open(self.out) as out:
            return proving.events_in(out.read())

    def delivered(self):
        return sum(event["event"] == "delivered" for event in self.events())

    def until(self, what, patience):
        """Waits until that is so; an end, or too long a time, is wrong."""
        end = time.monotonic() + patience
        while not what():
            if self.process.poll() is not None:
                with open(self.errors) as errors:
                    raise proving.Wrong(f"it ended with {self.process.returncode}: {proving.reason(errors.read())}")
            if time.monotonic() > end:
                raise proving.Wrong(f"after {patience} s it is not there yet: {self.last_words()}")
            time.sleep(0.05)

    def last_words(self):
        with open(self.out) as out, open(self.errors) as errors:
            return (out.read()[-500:] + " | " + errors.read()[-300:]).strip()

    def must_end_well(self, patience):
        """Seconds that it took altogether."""
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise proving.Wrong(f"no end after {patience} s: {self.last_words()}") from None
        if code != 0:
            raise proving.Wrong(f"it ended with {code}: {self.last_words()}")
        return time.monotonic() - self.began


JOBS = "SELECT state, attempts, count(*), coalesce(max(problem), '') FROM upload_jobs GROUP BY 1, 2"


def judge(bucket, prefix, place, card):
    """Every photo on the card lies in the bucket once, under its own name, with its own bytes, and no attempt at any
    was counted against it."""
    found = []
    there = bucket.contents(prefix)
    for name in sorted(set(card) | set(there)):
        if name not in there:
            found.append(f"{name} has not arrived")
        elif name not in card:
            found.append(f"{name} lies in the bucket and is not on the card")
        elif there[name] != card[name]:
            found.append(f"{name} in the bucket has other bytes than on the card")
    found += wrong_jobs(place)
    if found:
        raise proving.Wrong(*found[:10])
    return len(there)


def wrong_jobs(place):
    """Jobs that are not done, or at which something was thought to be wrong with a photo."""
    (jobs,) = place.rows(JOBS)
    return [
        f"{count} jobs are {state} after {attempts} attempts ({problem})"
        for state, attempts, count, problem in jobs
        if state != "completed" or attempts != 0
    ]


def write_settings(place, text):
    os.makedirs(place.home, exist_ok=True)
    with open(os.path.join(place.home, "config.json5"), "w") as file:
        file.write(text)
