#!/usr/bin/env python3
"""A gallery on several nodes as plain processes, for tools/demo --cluster, tools/prove-cluster and tools/bench cluster.

  tools/cluster.py FOLDER [--nodes N] [--pooler]    runs one in that folder until it is ended, and says in FOLDER/ready how
                                                    it is reached, as lines that a shell can read
  tools/cluster.py FOLDER --hashes                  the SHA-256 of every object in the store of one that runs

PostgreSQL with a synchronous standby (tools/cluster_postgres.py), SeaweedFS on three servers of volumes
(tools/cluster_store.py), nodes of `gallery serve`, and a balancer before them by the
example that operators get (tools/cluster_front.py). Everything
listens on this machine only, on ports that are free, writes into one folder, and ends with this program, however it ends.
"""
import argparse
import functools
import hashlib
import http.client
import os
import shlex
import shutil
import signal
import subprocess
import sys

# No compiled copies beside the tools.
sys.dont_write_bytecode = True
import storing
from cluster_front import FRONTS
from cluster_postgres import Database, Pooler
from cluster_processes import NotThere, Process, make_folder, wait_until
from cluster_store import SpreadStore

TOP = storing.TOP
GALLERY = os.path.join(os.environ.get("TETHERLINE_BIN", os.path.join(TOP, ".build", "release")), "gallery")
BUCKET = "gallery"


def needs_what_it_needs():
    """Leaves with a sentence where a program is missing."""
    storing.needs_what_it_needs()
    for program in ("nginx", "psql", "setpriv"):
        if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin") is None:
            sys.exit(f"there is no {program} here: tools/setup")
    if not os.access(GALLERY, os.X_OK):
        sys.exit(f"there is no gallery at {GALLERY}: swift build -c release --product gallery")


# Who reads figures: the balancer's address, which nodes trust, tells them nothing of who asks.
PROMETHEUS = "127.0.0.9"


@functools.cache
def has_option(program, option):
    """A build of before, which runs beside this one, does not know all options of today."""
    return option in subprocess.run([program, "serve", "--help"], capture_output=True, text=True, check=True).stdout


class Node:
    """One `gallery serve`. Nothing in its folder is missed when it is lost."""

    def __init__(self, cluster, number, port, options=()):
        self.cluster, self.number, self.port = cluster, number, port
        self.name = f"node{number}"
        self.folder = make_folder(os.path.join(cluster.folder, self.name))
        self.log = os.path.join(cluster.folder, f"{self.name}.log")
        self.options, self.process, self.starts = list(options), None, 0
        # Another build's, in the middle of an upgrade.
        self.program = cluster.program

    @property
    def words(self):
        words = [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--public-url", self.cluster.url, "--trusted-proxy",
                 "127.0.0.1", "--data", os.path.join(self.folder, "data"), "--storage", self.cluster.storage]  # fmt: skip
        if has_option(self.program, "--metrics-from"):
            words += ["--metrics-from", PROMETHEUS]
        if self.cluster.database:
            words += ["--database", self.cluster.database_url(self.number), "--node", self.name]
            if self.cluster.pooler:
                # A pooler passes no notifications on.
                words += ["--listen-database", self.cluster.database.url(self.cluster.address(self.number))]
        return words + self.options

    def launch(self):
        self.process = Process(self.name, self.words, self.log, environment=self.cluster.environment)
        self.starts += 1

    def start(self):
        self.launch()
        self.wait()

    def wait(self):
        wait_until(f"{self.name} is ready", lambda: self.process.must_run() and self.is_ready())

    def is_ready(self):
        return self.ask("/ready")[0] == 200

    def ask(self, path, patience=5, source="127.0.0.1"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience, source_address=(source, 0))
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except http.client.HTTPException as error:
            raise OSError(str(error)) from None
        finally:
            connection.close()

    def metrics(self):
        """Samples by their name with its labels."""
        status, text = self.ask("/metrics", source=PROMETHEUS)
        if status != 200:
            raise OSError(f"{self.name} has no metrics: {status}")
        lines = [line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#")]
        return {name: float(value) for name, _, value in lines}

    def end(self):
        if self.process and self.process.runs:
            self.process.send(signal.SIGCONT)
            self.process.end()


class Cluster:
    """`embedded`: one node with the database in its own folder, to be held against. `program`: another build's gallery.
    `balancer`: one that cluster_front.py knows."""

    def __init__(self, folder, nodes=3, standby=True, pooler=False, embedded=False, options=(), program=GALLERY, balancer="nginx"):
        self.folder, self.program = make_folder(os.path.abspath(folder), mode=0o755), program
        ports = iter(storing.free_ports(4 + nodes + SpreadStore.ports_needed()))
        addresses = ["127.0.0.1", *(self.address(number) for number in range(1, nodes + 1))]
        pair, front, pool = [next(ports), next(ports)], next(ports), next(ports)
        self.store = SpreadStore(os.path.join(self.folder, "store"), [next(ports) for _ in range(SpreadStore.ports_needed())])
        self.database = None if embedded else Database(os.path.join(self.folder, "postgres"), pair, addresses, standby)
        self.pooler = Pooler(os.path.join(self.folder, "pgbouncer"), pool, self.database) if pooler else None
        self.nodes = [Node(self, number, next(ports), options) for number in range(1, nodes + 1)]
        self.front = FRONTS[balancer](self, front)

    @staticmethod
    def address(number):
        """Where a node finds the database: one address for each node, so that each can be cut off alone."""
        return f"127.0.1.{number}"

    def database_url(self, number=None):
        if self.pooler:
            return self.pooler.url()
        return self.database.url(self.address(number) if number else "127.0.0.1")

    @property
    def url(self):
        return self.front.url

    @property
    def storage(self):
        """Where its endpoint is, and the keys, are in the environment."""
        return f"s3://{BUCKET}/photos"

    @property
    def environment(self):
        more = self.database.environment if self.database else {}
        return {**os.environ, **self.store.environment, **more}

    def start(self, say=lambda _: None):
        self.store.start()
        self.store.make_bucket(BUCKET)
        say(f"SeaweedFS: a master, {len(self.store.volumes)} servers of volumes, a filer, S3 at {self.store.endpoint}")
        if self.database:
            self.database.start()
            say("PostgreSQL: " + ", ".join(
                f"{server.name} at port {server.port}" for server in self.database.servers) + "; commits wait for both")
            if self.pooler:
                self.pooler.start()
            self.gallery("migrate")
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.wait()
        self.front.start()
        say(f"{len(self.nodes)} nodes behind {self.front.name} at {self.url}")

    @property
    def place(self):
        """What commands are told of where everything is."""
        if self.database:
            return ["--database", self.database_url()]
        return ["--data", os.path.join(self.nodes[0].folder, "data")]

    def gallery(self, *words, storage=False, patience=120, program=None):
        """A command of the gallery, on whichever machine it is given."""
        words = [program or self.program, *words, *self.place, *(["--storage", self.storage] if storage else [])]
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment, timeout=patience)
        if done.returncode != 0:
            # An error of the database says what it is about at its beginning, and then the whole statement.
            said = done.stderr + done.stdout
            said = said if len(said) < 1000 else f"{said[:500]} … {said[-400:]}"
            raise NotThere(f"gallery {' '.join(words[1:3])} ended with {done.returncode}: {said}")
        return done.stdout

    def end(self):
        problems = []
        parts = [self.front, *self.nodes, self.pooler, self.database, self.store]
        for part in [part for part in parts if part]:
            try:
                part.end()
            except NotThere as problem:
                problems.append(str(problem))
        return problems

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()


def print_hashes(folder):
    """As another program than the gallery sees what lies there."""
    with open(os.path.join(folder, "ready")) as file:
        said = dict(word.split("=", 1) for line in file for word in shlex.split(line))
    store = storing.Endpoint()
    store.endpoint = said["AWS_ENDPOINT_URL"]
    store.client = store.make_client()
    for key in store.objects(BUCKET):
        print(hashlib.sha256(store.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()).hexdigest())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--nodes", type=int, default=3, choices=range(1, 4))
    parser.add_argument("--pooler", action="store_true", help="nodes reach the database through PgBouncer")
    parser.add_argument("--hashes", action="store_true")
    arguments = parser.parse_args()
    needs_what_it_needs()
    if arguments.hashes:
        return print_hashes(arguments.folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    cluster = Cluster(arguments.folder, arguments.nodes, pooler=arguments.pooler)
    try:
        cluster.start(lambda text: print(f"cluster: {text}", flush=True))
        ready = {"URL": cluster.url, "DATABASE": cluster.database_url(), "STORAGE": cluster.storage,
                 **cluster.store.environment, **cluster.database.environment,
                 **{f"PID_{node.name}": node.process.pid for node in cluster.nodes}}  # fmt: skip
        path = os.path.join(cluster.folder, "ready")
        with open(path + ".new", "w") as file:
            file.writelines(f"{name}={shlex.quote(str(value))}\n" for name, value in ready.items())
        os.rename(path + ".new", path)
        while True:
            signal.pause()
    except NotThere as problem:
        sys.exit(f"cluster: {problem}")
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for problem in cluster.end():
            print(f"cluster: {problem}", flush=True)


if __name__ == "__main__":
    main()
