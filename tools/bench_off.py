"""tools/bench off: the machine of one of three nodes is switched off, so that its packets vanish, and later the database's primary
stands still: how long a guest's page, image and stream take meanwhile by the balancers of the examples. Needs root: what is
cut is in a network of this tool's own.
"""
import http.client
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time

# No compiled copies beside the tools.
sys.dont_write_bytecode = True
import cluster
import cluster_chaos
from cluster_clients import Account, Client, Ledger, Photographer, base_picture

PASSWORD = "a password for a measurement"
WELL, OFF, STILL = 5, 20, 12
PATIENCE = 45


class Guest:
    """One who looks at a page, an image and the stream of an event in turn, each by a connection of its own."""

    def __init__(self, port, event, photo):
        page = f"/e/{event['slug']}"
        self.port = port
        self.paths = {"page": page, "image": f"/images/{photo['thumbKey']}", "stream": f"{page}/live"}

    def ask(self, what):
        """The status, 0 where none came, and seconds until the whole answer was there, or a stream's first line."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", self.paths[what])
            answer = connection.getresponse()
            answer.readline() if what == "stream" else answer.read()
            return answer.status, time.monotonic() - began
        except (OSError, http.client.HTTPException):
            return 0, time.monotonic() - began
        finally:
            connection.close()

    def look(self, when, seconds):
        told = {what: [] for what in self.paths}
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for what, answers in told.items():
                answers.append(self.ask(what))
        words = []
        for what, answers in told.items():
            took = [1000 * seconds for _, seconds in answers]
            refused = sum(status != 200 for status, _ in answers)
            words.append(f"{what} {statistics.median(took):.0f} ms, worst {max(took):.0f}, {refused} of {len(took)} not there")
        print(f"  {when}: {'; '.join(words)}", flush=True)

    def waits(self):
        """Seconds until each is there again."""
        began, found = time.monotonic(), {}
        while len(found) < len(self.paths) and time.monotonic() < began + PATIENCE:
            for what in self.paths:
                if what not in found and self.ask(what)[0] == 200:
                    found[what] = time.monotonic() - began
        words = (f"{what} after {found[what]:.1f} s" if what in found else f"{what} not within {PATIENCE} s" for what in self.paths)
        print(f"  the primary goes on: {', '.join(words)}", flush=True)


def with_photo(running, folder):
    """An event with a few photos in it, one of them, and its host."""
    secret = os.path.join(folder, "password")
    with open(secret, "w") as file:
        file.write(PASSWORD + "\n")
    running.gallery("user", "add", "ann@example.org", "--password-file", secret, "--credits", "1000")
    client = Client(running.url, Account(running.url, "ann@example.org", PASSWORD))
    client.data("POST", "/consent", {"version": 1})
    event = client.data("POST", "/events", {"name": "Off"})
    photographer = Photographer(0, client, event["id"], Ledger(os.path.join(folder, "ledger")), base_picture(), 1, 0.1, size=12000)
    photographer.start()
    while photographer.done < 3 and not photographer.problem:
        time.sleep(0.1)
    photographer.stops.set()
    photographer.join()
    if photographer.problem:
        sys.exit(f"bench: {photographer.problem}")
    return event, client.data("GET", f"/events/{event['id']}/photos")["photos"][0], client


def measure(balancer):
    folder = tempfile.mkdtemp(prefix="tetherline-off-")
    os.chmod(folder, 0o755)
    running = cluster.Cluster(os.path.join(folder, "cluster"), balancer=balancer)
    try:
        running.start()
        event, photo, _ = with_photo(running, folder)
        guest = Guest(running.front.port, event, photo)
        print(f"three nodes behind {balancer}", flush=True)
        guest.look("all are there", WELL)
        port = running.nodes[0].port
        cluster_chaos.nft(f"table ip off {{ chain in {{ type filter hook input priority 0; tcp dport {port} drop; tcp sport {port} drop;\n }}\n}}\n")
        guest.look(f"one has been off for {OFF} s", OFF)
        guest.look("it stays off", OFF)
        cluster_chaos.nft("delete table ip off")
        primary = running.database.primary.process
        primary.send(signal.SIGSTOP)
        guest.look("the primary stands still", STILL)
        primary.send(signal.SIGCONT)
        guest.waits()
    finally:
        for problem in running.end():
            print(problem)
        shutil.rmtree(folder)


if __name__ == "__main__":
    cluster_chaos.own_network()
    if not cluster_chaos.may_cut():
        sys.exit("bench: this needs root and nft: tools/setup")
    for name in sys.argv[1:] or ("nginx", "haproxy"):
        measure(name)
