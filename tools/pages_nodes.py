"""Several nodes behind nginx in the place of one gallery, for tools/pages.py: requests of one page go to any of them."""
import collections
import json
import os
import subprocess

import bench_gallery as parts
import cluster
from cluster_processes import NotThere, wait_until

# What is about one program and its own folder, and why.
ALONE = {
    "reset": "nodes keep what was heard in the database, so that nothing is lost by a start",
}


class Whole:
    """All nodes as the one process that a walk ends."""

    def __init__(self, nodes):
        self.nodes = nodes

    def send_signal(self, number):
        for node in self.nodes:
            node.process.send(number)

    def kill(self):
        for node in self.nodes:
            node.process.kill()

    def wait(self, patience=None):
        for node in self.nodes:
            node.process.popen.wait(patience)


class Nodes(parts.Server):
    def __init__(self, folder, count):
        # PostgreSQL runs as another user, who has to get to its own folder in there.
        os.chmod(folder, 0o755)
        self.cluster = cluster.Cluster(os.path.join(folder, "cluster"), count)
        self.port = self.cluster.front.port
        secret = os.path.join(folder, "password")
        with open(secret, "w") as file:
            file.write(parts.PASSWORD)
        try:
            self.cluster.start()
            self.cluster.gallery("user", "add", "a@example.org", "--password-file", secret)
            self.enter()
        except BaseException:
            self.cluster.end()
            raise

    @property
    def process(self):
        return Whole(self.cluster.nodes)

    def command(self, *words):
        storage = ["--storage", self.cluster.storage] if words[0] == "export" else []
        words = [parts.GALLERY, *words, *self.cluster.place, *storage]
        return subprocess.run(words, capture_output=True, text=True, env=self.cluster.environment)

    def start(self, port):
        assert port == self.port
        for node in self.cluster.nodes:
            if not node.process.runs:
                node.launch()
        for node in self.cluster.nodes:
            node.wait()
        if not self.cluster.front.process.runs:
            self.cluster.front.start()
        # It may have left out nodes that were not there.
        page = f"/e/{self.event['slug']}"
        wait_until("the balancer reaches the nodes", lambda: self.cluster.front.status(page) < 500)

    def stop(self):
        """The balancer, too: where it is left there is an answer, of no server."""
        self.cluster.front.end()
        for node in self.cluster.nodes:
            node.end()

    def shares(self):
        """How many requests of pages each node has answered, by what nginx has written down."""
        answered = collections.Counter()
        with open(self.cluster.front.requests) as file:
            for line in file:
                # Where one node did not answer, the last one that was asked did.
                answered[json.loads(line)["node"].split(", ")[-1]] += 1
        return {node.name: answered[f"127.0.0.1:{node.port}"] for node in self.cluster.nodes}

    def end(self):
        problems = self.cluster.end()
        shares = self.shares()
        print("pages: requests by node: " + ", ".join(f"{name} {count}" for name, count in shares.items()))
        # Each page asks nodes in turn, and streams stay where they are.
        problems += [f"{name} has answered {count} of {sum(shares.values())} requests: the walks were not over all nodes"
                     for name, count in shares.items() if count * len(shares) * 4 < sum(shares.values())]  # fmt: skip
        if problems:
            raise NotThere("; ".join(problems))

    def kill(self):
        running = self.cluster
        for process in [running.front.process, *(node.process for node in running.nodes), *running.store.processes.values(),
                        *running.store.volumes, *(server.process for server in running.database.servers)]:  # fmt: skip
            if process and process.runs:
                process.kill()
