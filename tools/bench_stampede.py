"""tools/bench stampede: guests by the thousand listen to two of four nodes, which die at one moment, and come to the other two.

Each comes back as browsers do (tools/bench_streams.py), to either of the others in turn, as by a balancer. It is back when it has
heard of a change that the host made at another node in the meantime. Meanwhile a guest opens the page at one of those that are
left, again and again, by a new connection each time.

A process may have no more than 20,000 files open at many an installation, so neither one node nor one process of guests can hold
20,000 streams: half of the guests listen to each of the nodes that die, and wait in a process of their own.
"""
import http.client
import multiprocessing
import os
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time

# No compiled copies beside the tools.
sys.dont_write_bytecode = True
import bench_off
import bench_streams
import cluster
from bench_streams import PATIENCE, Crowd, Host, percentile

CLIENTS = 20_000
NODES = 4
# Where the addresses of either half of the guests are.
NETWORKS = "127.0.0", "127.0.2"
# Between two looks at the page.
PAUSE = 0.1


class Reader(threading.Thread):
    """Opens the page until it is told to stop; how long each took."""

    def __init__(self, port, path):
        super().__init__(daemon=True)
        self.port, self.path, self.took, self.problem = port, path, [], None
        self.stops = threading.Event()

    def run(self):
        while not self.stops.wait(PAUSE):
            self.look()

    def look(self):
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", self.path)
            status = connection.getresponse().status
            if status != 200:
                self.problem = f"a page was answered {status}"
        except OSError as error:
            self.problem = f"a page was not answered: {error}"
        finally:
            connection.close()
        self.took.append(time.monotonic() - began)


class Half(Crowd):
    """Half of the guests, in the process that holds them."""

    def __init__(self, port, count, target, network):
        super().__init__([port], target, network)
        self.count, self.told = count, []

    def come(self):
        self.join(self.count)

    def hear_of(self, mark):
        """The change is made elsewhere."""
        self.hear(mark, lambda: None)

    def lose(self):
        """Its node; how long each guest is to wait."""
        self.told = self.leave()
        return self.told

    def come_to(self, ports, missed):
        self.ports, self.missed = ports, missed.encode()
        return self.come_back(self.told)


def hold(pipe, *about):
    """Does what is asked of one half of the guests, until the process that asks is gone."""
    half = Half(*about)
    while True:
        try:
            name, words = pipe.recv()
        except EOFError:
            return
        pipe.send(getattr(half, name)(*words))


class Guests:
    """All of them, by the processes that hold them."""

    def __init__(self, ports, count, target):
        self.processes, self.pipes = [], []
        # A fork would take along locks that other threads hold, and this end of each pipe.
        context = multiprocessing.get_context("spawn")
        for port, share, network in zip(ports, (count - count // 2, count // 2), NETWORKS):
            here, there = context.Pipe()
            process = context.Process(target=hold, args=(there, port, share, target, network), daemon=True)
            process.start()
            there.close()
            self.processes.append(process)
            self.pipes.append(here)

    def ask(self, name, *words):
        for pipe in self.pipes:
            pipe.send((name, words))

    def answers(self):
        """What either half found, once both are done."""
        try:
            return [pipe.recv() for pipe in self.pipes]
        except EOFError:
            sys.exit("bench: a process of guests ended")

    def do(self, name, *words):
        self.ask(name, *words)
        return self.answers()

    def leave(self):
        """Each process ends when its pipe is closed."""
        for pipe, process in zip(self.pipes, self.processes):
            pipe.close()
            process.join()


def database_uses(nodes):
    """How often nodes have asked their database anything."""
    return sum(value for node in nodes for name, value in node.metrics().items() if name.startswith("gallery_database_seconds_count"))


def processor(nodes):
    return sum(node.process.processor_seconds() for node in nodes)


class Stampede:
    def __init__(self, running, folder, clients):
        self.cluster, self.clients = running, clients
        self.event, self.photo, self.client = bench_off.with_photo(running, folder)
        self.path = f"/e/{self.event['slug']}"
        # What pages cost the database, and a second in which no guest comes, are not the stampede's.
        self.page_uses, self.idle_uses = self.uses_without()

    def uses_without(self, looks=50, seconds=10):
        nodes, reader = self.cluster.nodes[:2], Reader(self.cluster.nodes[1].port, self.path)
        begun = database_uses(nodes)
        threading.Event().wait(seconds)
        idle = (database_uses(nodes) - begun) / seconds
        begun, since = database_uses(nodes), time.monotonic()
        for _ in range(looks):
            reader.look()
        return (database_uses(nodes) - begun - idle * (time.monotonic() - since)) / looks, idle

    def host(self, node):
        return Host(node.port, self.client.account.token(), self.photo["id"])

    def change(self, host, caption):
        host.change(caption)
        host.answered()

    def round(self, number):
        """The nodes that die are others each time."""
        nodes = self.cluster.nodes[number % NODES:] + self.cluster.nodes[:number % NODES]
        dying, others = nodes[:2], nodes[2:]
        guests, host = Guests([node.port for node in dying], self.clients, f"{self.path}/live"), self.host(others[0])
        guests.do("come")
        mark = f"before {number}"
        guests.ask("hear_of", mark)
        self.change(host, mark)
        guests.answers()
        resident = [bench_streams.memory(node.process.pid) for node in others]
        for node in dying:
            node.process.send(signal.SIGKILL)
        for node in dying:
            node.process.kill()
        pauses = sum(guests.do("lose"), [])
        missed = f"missed {number}"
        self.change(host, missed)
        reader = Reader(others[1].port, self.path)
        reader.start()
        used, busy, began = database_uses(others), processor(others), time.monotonic()
        came = guests.do("come_to", [node.port for node in others], missed)
        took = time.monotonic() - began
        refused, waits = sum(refused for refused, _ in came), sum((waits for _, waits in came), [])
        reader.stops.set()
        reader.join()
        if reader.problem:
            sys.exit(f"bench: {reader.problem}")
        used = database_uses(others) - used - self.page_uses * len(reader.took) - self.idle_uses * took
        grown = sum(bench_streams.memory(node.process.pid) for node in others) - sum(resident)
        found = {"took": took, "wait": 1000 * percentile(waits, 0.99), "refused": refused, "busy": processor(others) - busy,
                 "used": used, "page": 1000 * percentile(reader.took, 0.99), "each": grown / self.clients / 1000}  # fmt: skip
        print(f"  round {number + 1}: told to wait {min(pauses):.1f} to {max(pauses):.1f} s; all listen after {took:.1f} s, p99 "
              f"{found['wait']:.0f} ms after its pause, {refused} came once more; {found['busy']:.2f} s of a processor and "
              f"{found['used']:.0f} uses of the database at both nodes; page p99 {found['page']:.0f} ms of {len(reader.took)}; "
              f"{found['each']:.2f} KB of resident memory for each", flush=True)
        guests.leave()
        for node in dying:
            node.start()
        return found


def main(clients, rounds):
    cluster.needs_what_it_needs()
    # Of this process, and of all that it starts.
    bench_streams.allow_files(clients - clients // 2)
    folder = tempfile.mkdtemp(prefix="stampede-")
    os.chmod(folder, 0o755)
    try:
        with cluster.Cluster(os.path.join(folder, "cluster"), nodes=NODES) as running:
            stampede = Stampede(running, folder, clients)
            print(f"{clients} guests of two of four nodes, which are killed at one moment", flush=True)
            found = [stampede.round(number) for number in range(rounds)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    words = []
    for name, label, digits in (("took", "s until all listen", 1), ("wait", "ms after its pause at p99", 0), ("busy", "s of a processor", 2),
                                ("used", "uses of the database", 0), ("page", "ms for the page at p99", 0)):
        values = [one[name] for one in found]
        words.append(f"{statistics.median(values):.{digits}f} {label} ({min(values):.{digits}f} … {max(values):.{digits}f})")
    print("; ".join(words), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
