"""tools/bench stampede: thousands of guests listen to one of three nodes, which dies at one moment, and come to the other two.

Each comes back as browsers do (tools/bench_streams.py), to either of the others in turn, as by a balancer. It is back when it has
heard of a change that the host made at another node in the meantime. Meanwhile a guest opens the page at one of those that are
left, again and again, by a new connection each time.
"""
import http.client
import os
import shutil
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

# A process here may have 20,000 files open at many an installation, and the crowd is one.
CLIENTS = 17_000
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
        """The node that dies is another each time."""
        dies, *others = self.cluster.nodes[number % 3:] + self.cluster.nodes[:number % 3]
        crowd, host = Crowd([dies.port], f"{self.path}/live"), self.host(others[0])
        crowd.join(self.clients)
        mark = f"before {number}"
        crowd.hear(mark, lambda: host.change(mark))
        host.answered()
        resident = [bench_streams.memory(node.process.pid) for node in others]
        dies.process.kill()
        pauses = crowd.leave()
        self.change(host, f"missed {number}")
        crowd.missed, crowd.ports = f"missed {number}".encode(), [node.port for node in others]
        reader = Reader(others[1].port, self.path)
        reader.start()
        used, busy, began = database_uses(others), processor(others), time.monotonic()
        refused, waits = crowd.come_back(pauses)
        took = time.monotonic() - began
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
        crowd.leave()
        dies.start()
        return found


def main(clients, rounds):
    cluster.needs_what_it_needs()
    bench_streams.allow_files(clients)
    folder = tempfile.mkdtemp(prefix="stampede-")
    os.chmod(folder, 0o755)
    try:
        with cluster.Cluster(os.path.join(folder, "cluster")) as running:
            stampede = Stampede(running, folder, clients)
            print(f"{clients} guests of one of three nodes, which is killed", flush=True)
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
