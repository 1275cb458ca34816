"""What a cluster carries: the cost of one upload, uploads a second by the number of nodes, and whether events wait for each
other. For tools/bench cluster.

Everything runs on this one machine, so uploads a second are of this machine; what one upload costs each part is what sizes
are reckoned from. Pictures are small where the database is measured, and of 24 megapixels where the nodes are.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import bench_gallery
import bench_progress
import cluster
import cluster_postgres
from cluster_clients import Account, Client, Ledger, Photographer, base_picture

PASSWORD = "a password for a measurement"
CLIENTS, EVENTS, SECONDS = 16, 100, 10
# Where uploads go: into one event, into many of one account, or into many of as many accounts as there are clients.
ONE, ONE_ACCOUNT, MANY = "1 event", f"{EVENTS} events of one account", f"{EVENTS} events of {CLIENTS} accounts"
# What a photo of a camera costs is mostly to decode it and to make it smaller.
LARGE = "6000x4000"
LARGE_COUNT = 12


class Meter:
    """What has been used up to now, of everything that is counted."""

    def __init__(self, running):
        self.cluster = running

    def read(self):
        database = self.cluster.database
        ask = database.primary.ask
        row = ask("SELECT (SELECT sum(calls) FROM pg_stat_statements), pg_current_wal_lsn() - '0/0', "
                  "(SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()), "
                  "(SELECT sum(total_exec_time) FROM pg_stat_statements)", cluster_postgres.DATABASE)  # fmt: skip
        calls, wal, commits, milliseconds = (float(word or 0) for word in row.split("|"))
        return {
            "statements": calls, "WAL bytes": wal, "commits": commits, "statement ms": milliseconds,
            "primary CPU": database.primary.process.processor_seconds(),
            "standby CPU": database.standby.process.processor_seconds() if database.standby else 0,
            "node CPU": sum(node.process.processor_seconds() for node in self.cluster.nodes if node.process.runs),
            "store CPU": sum(process.processor_seconds() for process in [*self.cluster.store.processes.values(), *self.cluster.store.volumes]),
        }  # fmt: skip

    def idle(self, seconds):
        """What is used a second by nothing at all."""
        before = self.read()
        time.sleep(seconds)
        after = self.read()
        return {name: (after[name] - before[name]) / seconds for name in after}


class LockWatch:
    """How many sessions wait for a lock of another, ten times a second."""

    def __init__(self, server):
        statement = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        words = ["psql", "-X", "-A", "-t", "-q", "-h", server.sockets, "-p", str(server.port), "-U", cluster_postgres.ADMIN]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{statement} \\watch 0.1\n")
        self.process.stdin.flush()

    def end(self):
        self.process.terminate()
        said, _ = self.process.communicate()
        counts = [int(line) for line in said.split() if line.isdigit()]
        return statistics.mean(counts) if counts else 0.0


class Bench:
    def __init__(self, running, folder):
        self.cluster, self.folder = running, folder
        self.base, self.number = base_picture(), 0
        self.meter = Meter(running)

    def prepare(self):
        password = os.path.join(self.folder, "password")
        with open(password, "w") as file:
            file.write(PASSWORD + "\n")
        url = f"http://127.0.0.1:{self.cluster.nodes[0].port}"
        self.accounts = []
        for number in range(CLIENTS):
            email = f"photographer{number}@example.org"
            self.cluster.gallery("user", "add", email, "--password-file", password)
            self.accounts.append(Account(url, email, PASSWORD))
            Client(url, self.accounts[-1]).data("POST", "/consent", {"version": 1})
        self.own = [self.make_event(number % CLIENTS, number) for number in range(EVENTS)]
        self.of_one = [self.make_event(0, number) for number in range(EVENTS)]

    def make_event(self, account, number):
        client = Client(self.accounts[account].url, self.accounts[account])
        return client.data("POST", "/events", {"name": f"Event {number}"})["id"]

    def client(self, index, nodes, account):
        node = self.cluster.nodes[index % nodes]
        return Client(f"http://127.0.0.1:{node.port}", self.accounts[account])

    def place_of(self, index, where):
        """Whose client it is, and which event it uploads to."""
        if where == MANY:
            return index, self.own[index + CLIENTS * (self.number % (EVENTS // CLIENTS))]
        return 0, self.of_one[index * (EVENTS // CLIENTS) if where == ONE_ACCOUNT else 0]

    def use(self, count):
        """So many nodes, the first ones; the others have ended."""
        for node in self.cluster.nodes[count:]:
            node.end()
        for node in self.cluster.nodes[:count]:
            if not (node.process and node.process.runs):
                node.start()

    def load(self, nodes, where, seconds=SECONDS):
        """Uploads for so long; how many a second, what each has cost, and how long one took."""
        self.number += 1
        path = os.path.join(self.folder, f"ledger-{self.number}.sqlite")
        ledger = Ledger(path)
        crowd = []
        for index in range(CLIENTS):
            account, event = self.place_of(index, where)
            client = self.client(index, nodes, account)
            crowd.append(Photographer(index, client, event, ledger, self.base, f"bench-{self.number}", 0, size=3000))
        locks, before, began = LockWatch(self.cluster.database.primary), self.meter.read(), time.monotonic()
        for one in crowd:
            one.start()
        threading.Event().wait(seconds)
        for one in crowd:
            one.stops.set()
        for one in crowd:
            one.join(120)
            if one.problem:
                sys.exit(f"bench: {one.problem}")
        took, after = time.monotonic() - began, self.meter.read()
        waiting = locks.end()
        done = sum(one.done for one in crowd)
        os.remove(path)
        each = {name: (after[name] - before[name]) / done for name in after}
        return {"rate": done / took, "each": each, "waiting": waiting, "slowest": max(one.slowest for one in crowd)}

    def large(self):
        """Photos of 24 megapixels, one after the other at each of two clients: what a node's processor gives for one."""
        source = os.path.join(self.folder, "large.jpg")
        if not os.path.exists(source):
            subprocess.run(["convert", "-size", LARGE, "plasma:", "-quality", "90", source], check=True)
        with open(source, "rb") as file:
            base = file.read()
        self.number += 1
        ledger = Ledger(os.path.join(self.folder, f"ledger-{self.number}.sqlite"))
        before = self.meter.read()
        crowd = [Photographer(index, self.client(index, 1, index), self.own[index], ledger, base, f"large-{self.number}", 0)
                 for index in range(2)]  # fmt: skip
        for one in crowd:
            one.start()
        while sum(one.done for one in crowd) < LARGE_COUNT and not any(one.problem for one in crowd):
            time.sleep(0.05)
        for one in crowd:
            one.stops.set()
        for one in crowd:
            one.join(120)
            if one.problem:
                sys.exit(f"bench: {one.problem}")
        after, done = self.meter.read(), sum(one.done for one in crowd)
        return (after["node CPU"] - before["node CPU"]) / done, len(base)


def spread(values, digits=1):
    """The median and from where to where."""
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} … {max(values):,.{digits}f})"


def nodes_and_cost(bench, rounds):
    found = {count: [] for count in (1, 2, 3)}
    for number in range(rounds + 1):
        for count in found:
            bench.use(count)
            measured = bench.load(count, MANY)
            bench_progress.done(f"{count} nodes", number, rounds, f"{measured['rate']:.1f} uploads a second")
            if number > 0:
                found[count].append(measured)
    print(f"\nuploads of small pictures by {CLIENTS} clients; medians of {rounds} alternating rounds, and the spread\n")
    print("| nodes | uploads/s | node CPU ms | primary CPU ms | standby CPU ms | statements | commits | WAL KB |")
    print("|---|---|---|---|---|---|---|---|")
    for count, rows in found.items():
        each = {name: [row["each"][name] for row in rows] for name in rows[0]["each"]}
        milliseconds = [spread([1000 * value for value in each[name]]) for name in ("node CPU", "primary CPU", "standby CPU")]
        print(f"| {count} | {spread([row['rate'] for row in rows])} | {' | '.join(milliseconds)} | {spread(each['statements'])} | "
              f"{spread(each['commits'])} | {spread([value / 1000 for value in each['WAL bytes']])} |")  # fmt: skip
    return found


def contention(bench, rounds):
    bench.use(3)
    found = {ONE: [], ONE_ACCOUNT: [], MANY: []}
    for number in range(rounds + 1):
        for where in found:
            measured = bench.load(3, where)
            bench_progress.done(where, number, rounds, f"{measured['rate']:.1f} uploads a second")
            if number > 0:
                found[where].append(measured)
    print(f"\nthe same load into one event and spread over many, three nodes\n")
    print("| into | uploads/s | sessions that wait for a lock | slowest upload s |")
    print("|---|---|---|---|")
    for where, rows in found.items():
        print(f"| {where} | {spread([row['rate'] for row in rows])} | {spread([row['waiting'] for row in rows], 2)} | "
              f"{spread([row['slowest'] for row in rows], 2)} |")  # fmt: skip


def images(bench, rounds):
    """Guests' thumbs that lie in the bucket: of a node that keeps copies, of one that fetches each, and of nginx with the same files."""
    bench.use(3)
    # Of a size that makes thumbs as large as a camera's photos make them.
    bench.base = subprocess.run(["convert", "-size", "800x533", "plasma:", "-quality", "85", "jpg:-"], capture_output=True, check=True).stdout
    bench.load(3, ONE, seconds=20)
    bench.base = base_picture()
    account = bench.accounts[0]
    slug = Client(account.url, account).data("GET", f"/events/{bench.of_one[0]}")["slug"]
    paths = [photo["thumbUrl"] for photo in Client(account.url, account).data("GET", f"/e/{slug}/photos?limit=100")["photos"]]
    node, root = bench.cluster.nodes[0], os.path.join(bench.folder, "root")
    os.makedirs(os.path.join(root, "images"))
    for path in paths:
        with open(root + path, "wb") as file:
            file.write(urllib.request.urlopen(f"http://127.0.0.1:{node.port}{path}", timeout=10).read())
    size = statistics.mean(os.path.getsize(root + path) for path in paths)
    process, port = bench_gallery.nginx(bench.folder, root, "expires max;")
    found = {"a node": [], "nginx before three nodes": [], "a node without copies": [], "nginx with the same files": []}
    for number in range(rounds + 1):
        for name, rows in found.items():
            if name == "a node without copies":
                node.end()
                node.options += ["--image-cache", "none"]
                node.start()
            asked = {"nginx before three nodes": bench.cluster.front.port, "nginx with the same files": port}.get(name, node.port)
            measured = bench_gallery.wrk(bench.folder, asked, paths, 64)
            bench_progress.done(name, number, rounds, f"{measured[0]:,.0f} a second")
            if number > 0:
                rows.append(measured)
            if name == "a node without copies":
                node.end()
                del node.options[-2:]
                node.start()
                bench_gallery.wrk(bench.folder, node.port, paths, 2)
    process.terminate()
    process.wait()
    print(f"\n{len(paths)} thumbs of {size / 1000:.0f} KB for 64 connections\n")
    print("| asked | thumbs/s | p99 ms |")
    print("|---|---|---|")
    for name, rows in found.items():
        print(f"| {name} | {spread([rate for rate, _ in rows], 0)} | {spread([late for _, late in rows])} |", flush=True)


def sizing(bench, found, rounds):
    """From what one upload costs. A processor is reckoned as busy for seven parts of ten."""
    bench.use(1)
    costs = [bench.large() for _ in range(rounds)]
    large = statistics.median(cost for cost, _ in costs)
    each = {name: statistics.median(row["each"][name] for row in found[1]) for name in found[1][0]["each"]}
    print(f"\na photo of 24 megapixels ({costs[0][1] / 1e6:.1f} MB) takes {spread([1000 * cost for cost, _ in costs], 0)} ms of a "
          "node's processor\n")  # fmt: skip
    print("| photos/s | processors of nodes | processors of the primary | commits/s | WAL MB/s | objects/s |")
    print("|---|---|---|---|---|---|")
    for rate in (3, 30, 100, 300):
        print(f"| {rate} | {rate * large / 0.7:.1f} | {rate * each['primary CPU'] / 0.7:.2f} | {rate * each['commits']:.0f} | "
              f"{rate * each['WAL bytes'] / 1e6:.2f} | {4 * rate} |")  # fmt: skip
    print(f"\none processor of a primary carries {0.7 / each['primary CPU']:.0f} uploads/s; one of a node {0.7 / large:.1f} photos of "
          f"24 megapixels, or {0.7 / each['node CPU']:.0f} small ones", flush=True)  # fmt: skip


def main(rounds, only=None):
    cluster.needs_what_it_needs()
    for tool in ("convert", "cjpeg", "wrk", "nginx"):
        if shutil.which(tool) is None:
            sys.exit(f"bench: there is no {tool}: tools/setup")
    folder = tempfile.mkdtemp(prefix="bench-cluster-")
    os.chmod(folder, 0o755)
    print(f"{os.cpu_count()} processors for everything, {time.strftime('%Y-%m-%d')}")
    try:
        with cluster.Cluster(os.path.join(folder, "cluster")) as running:
            bench = Bench(running, folder)
            bench.prepare()
            print("three nodes that do nothing take a second: " + ", ".join(
                f"{name} {value:.3f}" for name, value in bench.meter.idle(10).items()), flush=True)
            if only in (None, "images"):
                images(bench, rounds)
            if only in (None, "nodes"):
                found = nodes_and_cost(bench, rounds)
                sizing(bench, found, rounds)
            if only in (None, "events"):
                contention(bench, rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, *sys.argv[2:3])
