"""What prove-cluster does to a cluster, one thing after the other, and when each is over.

Every action takes away a part, looks at what the others do meanwhile, brings the part back, and returns when all nodes are
ready again. What is wrong is said as Wrong.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from cluster_postgres import OWNER
from cluster_processes import NotThere, tail, wait_until

KINDS = ("node", "primary", "volume", "store", "cut", "stop", "replace")
# Once each, where the cluster begins with an older build.
STEPS = ("migrate", "upgrade")
# How long nodes may take until they can serve again, once everything that they need is there.
RECOVERY = 60
TABLE = "cluster"
# How long guests may be told to come again after that.
SERVED = 10
# Why PostgreSQL does not change a table now: it was waited for too long, or two waited for each other.
AGAIN = ("lock timeout", "deadlock detected")
# What a node may still send to a server that is no longer the primary, before it has looked.
LATE = 3


class Wrong(Exception):
    """What must never be."""


def schedule(seed, counts, upgrades=False):
    """The kinds in an order that the seed decides; an upgrade begins after a third of them, and ends after two."""
    kinds = [kind for kind in KINDS for _ in range(counts.get(kind, 0))]
    random.Random(f"{seed}/schedule").shuffle(kinds)
    if upgrades:
        third = len(kinds) // 3
        kinds = [*kinds[:third], "migrate", *kinds[third:2 * third], "upgrade", *kinds[2 * third:]]
    return kinds


def may_cut():
    """Rules of the kernel's packet filter, in a network of this proof's own."""
    return os.environ.get("PROVE_CLUSTER_NETWORK") == "own"


def own_network():
    """Again in a network namespace: what is cut there is cut nowhere else, and is gone with it. Nothing where that cannot be."""
    if os.getuid() != 0 or may_cut() or shutil.which("nft") is None:
        return
    environment = dict(os.environ, PROVE_CLUSTER_NETWORK="own")
    words = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv]
    os.execvpe("unshare", words, environment)


def nft(text):
    done = subprocess.run(["nft", "-f", "-"], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise NotThere(f"nft: {done.stderr.strip()}")


class Chaos:
    """`programs`: the builds that nodes may be. `upgrades`: all are of the first until the tables are brought up to date, and
    of the last in the end."""

    def __init__(self, cluster, seed, lease, programs, upgrades=False, goes_on=False):
        self.cluster, self.seed, self.lease, self.programs, self.upgrades = cluster, seed, lease, programs, upgrades
        self.goes_on, self.slugs = goes_on, []
        self.done = {kind: 0 for kind in (*KINDS, *STEPS)}
        self.notes = {"nodes_at_once": 0, "old_primaries_alive": 0, "cuts_said": 0, "cuts_long": 0, "slowest_recovery": 0.0, "slowest_guests": 0.0,
                      "migrations": []}  # fmt: skip

    def act(self, number, kind):
        chance = random.Random(f"{self.seed}/action/{number}")
        getattr(self, kind)(chance)
        self.recover(f"after action {number + 1}, {kind}")
        self.done[kind] += 1

    def recover(self, when):
        began = time.monotonic()
        for node in self.cluster.nodes:
            if not node.process.runs:
                raise Wrong(f"{when}: {node.name} has ended by itself with {node.process.popen.returncode}")
            wait_until(f"{when}: {node.name} is ready", node.is_ready, RECOVERY)
        self.notes["slowest_recovery"] = max(self.notes["slowest_recovery"], time.monotonic() - began)
        # A balancer that has left nodes out has to let them in again.
        began = time.monotonic()
        wait_until(f"{when}: guests are served by the balancer", self.serves_guests, SERVED)
        self.notes["slowest_guests"] = max(self.notes["slowest_guests"], time.monotonic() - began)

    def serves_guests(self):
        """Pages, and streams of events, which pages come back to by themselves."""
        paths = [path for slug in self.slugs for path in (f"/e/{slug}", f"/e/{slug}/live")]
        return all(self.cluster.front.status(path, patience=10) == 200 for path in paths)

    # MARK: Nodes

    def node(self, chance):
        """One is killed; now and then two of three at the same moment."""
        nodes = chance.sample(self.cluster.nodes, 2 if chance.random() < 0.1 else 1)
        self.notes["nodes_at_once"] += len(nodes) == 2
        for node in nodes:
            node.process.kill()
        time.sleep(chance.uniform(0, 2))
        for node in nodes:
            node.launch()

    def stop(self, chance):
        """Stands still for longer than its leases, and goes on as if nothing had been."""
        node = chance.choice(self.cluster.nodes)
        node.process.send(signal.SIGSTOP)
        time.sleep(self.lease + chance.uniform(1, 6))
        node.process.send(signal.SIGCONT)

    def replace(self, chance):
        """As an upgrade does it: the node ends in order, and comes back as whichever build is next."""
        node = chance.choice(self.cluster.nodes)
        self.replace_by(node, self.builds[node.starts % len(self.builds)])

    def replace_by(self, node, program):
        code = node.process.end()
        if code != 0:
            raise Wrong(f"{node.name} was asked to end, and ended with {code}: {tail(node.log)}")
        node.program = program
        node.launch()

    # MARK: An upgrade

    @property
    def builds(self):
        """What a node may be now."""
        if not self.upgrades or self.done["migrate"] and not self.done["upgrade"]:
            return self.programs
        return self.programs[-1:] if self.done["upgrade"] else self.programs[:1]

    def migrate(self, chance):
        """All nodes are of the older build, and serve while the newer one brings their tables up to date. A table that others
        hold is not waited for without end, so that they do not queue up behind it: an operator runs it again then."""
        began = time.monotonic()
        while True:
            try:
                said = self.cluster.gallery("migrate", program=self.programs[-1], patience=700)
                break
            except NotThere as refused:
                if not any(text in str(refused) for text in AGAIN) or time.monotonic() > began + RECOVERY:
                    raise
                self.notes["migrations"].append("refused for now")
        # A proof that goes on may have done it just before it was ended.
        if "brought the tables to version" not in said and not self.goes_on:
            raise Wrong(f"the newer build found nothing to bring up to date: {said.strip()}")
        self.notes["migrations"].append(f"{said.strip()} in {time.monotonic() - began:.1f} s")

    def upgrade(self, chance):
        """Nodes that are of the older build still become the newer one, each when all others are ready."""
        for node in chance.sample(self.cluster.nodes, len(self.cluster.nodes)):
            if node.program != self.programs[-1]:
                self.replace_by(node, self.programs[-1])
                wait_until(f"the newer {node.name} is ready", node.is_ready, RECOVERY)
        self.cluster.program = self.programs[-1]

    # MARK: The database

    def primary(self, chance):
        if chance.random() < 0.2:
            self.old_primary_lives_on(chance)
        else:
            self.cluster.database.primary.process.kill()
            time.sleep(chance.uniform(0, 1))
            self.cluster.database.promote()
        time.sleep(chance.uniform(0, 2))
        self.cluster.database.rebuild()

    def old_primary_lives_on(self, chance):
        """It stands still while the other is promoted, and then goes on: it takes it for granted that it is the primary.
        No commit on it is answered, because its standby has gone; and no node may begin anything there."""
        database = self.cluster.database
        old = database.primary
        old.process.send(signal.SIGSTOP)
        time.sleep(chance.uniform(0.2, 2))
        database.promote()
        old.process.send(signal.SIGCONT)
        self.notes["old_primaries_alive"] += 1
        # A commit that was begun before waits there for a standby that does not come; none may be begun later.
        since = old.ask(f"SELECT now() + interval '{LATE} s'")
        begun = f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{OWNER}' AND backend_xid IS NOT NULL AND xact_start > '{since}'"
        until = time.monotonic() + LATE + chance.uniform(2, 12)
        while time.monotonic() < until:
            found = int(old.ask(begun))
            if found:
                raise Wrong(f"{found} transactions that write were begun at the old primary, {LATE} s after the promotion and later")
            time.sleep(0.2)

    def cut(self, chance):
        """A node and the database no longer hear each other: packets vanish, or are refused."""
        node = chance.choice(self.cluster.nodes)
        address, lasts = self.cluster.address(node.number), chance.uniform(3, 20)
        verdict = "drop" if chance.random() < 0.6 else "reject with tcp reset"
        nft(f"""table ip {TABLE} {{
            chain in {{ type filter hook input priority 0; ip daddr {address} meta l4proto tcp {verdict}; }}
            chain out {{ type filter hook output priority 0; ip saddr {address} meta l4proto tcp drop; }}
        }}""")
        try:
            until, has_said = time.monotonic() + lasts, False
            while time.monotonic() < until:
                try:
                    has_said = has_said or not node.is_ready()
                except OSError:
                    # Whatever the balancer does not hear is no 200, either.
                    has_said = True
                time.sleep(0.2)
        finally:
            nft(f"delete table ip {TABLE}")
        if lasts > 10:
            self.notes["cuts_long"] += 1
            self.notes["cuts_said"] += has_said
            if not has_said:
                raise Wrong(f"{node.name} was without its database for {lasts:.0f} s and said all the time that it is ready")

    # MARK: The store

    def volume(self, chance):
        index = chance.randrange(len(self.cluster.store.volumes))
        self.cluster.store.kill_volume(index)
        time.sleep(chance.uniform(1, 6))
        self.cluster.store.bring_back_volume(index)

    def store(self, chance):
        name = chance.choice(("s3", "filer"))
        self.cluster.store.kill_way_in(name)
        time.sleep(chance.uniform(1, 6))
        self.cluster.store.bring_back_way_in(name)
