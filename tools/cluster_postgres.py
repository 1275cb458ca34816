"""PostgreSQL as a cluster has it: a primary, a synchronous standby that streams from it, and PgBouncer before them.

The servers are Debian's, run by an unprivileged user. When the primary is lost the standby is promoted, and what was lost
comes back as the new standby by pg_rewind, or from nothing where that is not possible.
"""
import glob
import os
import shutil
import signal
import subprocess

from cluster_processes import NotThere, Process, give, make_folder, run_as, tail, unprivileged_user, wait_until

ADMIN = "postgres"
OWNER = "gallery"
DATABASE = "gallery"


def programs():
    """The folder with initdb in it: Debian keeps the servers' programs out of the path."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    there = shutil.which("initdb")
    if found:
        return os.path.dirname(found[-1])
    if there:
        return os.path.dirname(os.path.realpath(there))
    raise NotThere("there is no PostgreSQL here: tools/setup")


class Server:
    """One server with its folder; what it is, primary or standby, its folder says."""

    def __init__(self, name, folder, port, addresses, user, secrets):
        self.name, self.port, self.user = name, port, user
        self.data = os.path.join(folder, name)
        self.sockets = os.path.join(folder, "run")
        self.log = os.path.join(folder, f"{name}.log")
        self.addresses, self.secrets = addresses, secrets
        self.bin = programs()
        self.process = None

    def tool(self, name, *words, **more):
        environment = dict(os.environ, PGPASSFILE=self.secrets.theirs, LC_ALL="C.UTF-8")
        return run_as(self.user, [os.path.join(self.bin, name), *words], env=environment, cwd=self.sockets, **more)

    def create(self):
        self.tool("initdb", "-D", self.data, "-U", ADMIN, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust")
        self.configure()

    def configure(self, primary=None):
        """The same for both, but for whom it follows: nobody, or the primary."""
        settings = {
            "listen_addresses": ",".join(self.addresses), "port": self.port, "unix_socket_directories": self.sockets,
            "cluster_name": self.name, "max_connections": 200, "shared_buffers": "64MB",
            "wal_level": "replica", "wal_log_hints": "on", "max_wal_senders": 10, "max_replication_slots": 10,
            "wal_keep_size": "512MB", "hot_standby": "on", "wal_retrieve_retry_interval": "200ms",
            "wal_receiver_timeout": "5s", "wal_sender_timeout": "5s", "tcp_keepalives_idle": 5,
            "tcp_keepalives_interval": 2, "tcp_keepalives_count": 3,
            # A node that was stopped in a transaction must not hold its rows for good.
            "idle_in_transaction_session_timeout": "30s",
            "synchronous_commit": "on", "password_encryption": "scram-sha-256", "log_line_prefix": "%m [%p] %u ",
            "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "top",
        }  # fmt: skip
        if primary:
            settings["primary_conninfo"] = self.address_of(primary)
            self.write("standby.signal", "")
        self.write("cluster.conf", "".join(f"{name} = '{value}'\n" for name, value in settings.items()))
        self.write("synchronous.conf", "")
        with open(os.path.join(self.data, "postgresql.conf")) as file:
            text = file.read()
        if "include 'cluster.conf'" not in text:
            self.write("postgresql.conf", text + "\ninclude 'cluster.conf'\ninclude 'synchronous.conf'\n")
        # The administrator comes by the socket, which lies in a folder of their own.
        self.write("pg_hba.conf", "local all all trust\nhost all all 127.0.0.0/8 scram-sha-256\n"
                   "host replication all 127.0.0.0/8 scram-sha-256\n")  # fmt: skip

    def address_of(self, primary):
        return (f"host=127.0.0.1 port={primary.port} user=streamer dbname={ADMIN} application_name={self.name} "
                f"passfile={self.secrets.theirs}")

    @property
    def follows(self):
        """Whether it would start as a standby."""
        return os.path.exists(os.path.join(self.data, "standby.signal"))

    def write(self, name, text):
        path = os.path.join(self.data, name)
        with open(path, "w") as file:
            file.write(text)
        give(path, self.user)

    def start(self):
        words = [os.path.join(self.bin, "postgres"), "-D", self.data]
        self.process = Process(self.name, words, self.log, self.user, dict(os.environ, LC_ALL="C.UTF-8"), self.sockets)
        wait_until(f"{self.name} answers", lambda: self.process.must_run() and self.ask("SELECT 1", ADMIN) == "1")

    def ask(self, statement, database=ADMIN, patience=20):
        """One statement as its administrator."""
        words = ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.sockets, "-p", str(self.port),
                 "-U", ADMIN, "-d", database, "-c", statement]  # fmt: skip
        done = subprocess.run(words, capture_output=True, text=True, timeout=patience)
        if done.returncode != 0:
            raise OSError(f"{self.name}: {done.stderr.strip()}")
        return done.stdout.strip()

    @property
    def is_primary(self):
        return self.ask("SELECT pg_is_in_recovery()") == "f"

    def timeline(self):
        return int(self.ask("SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"), 16)

    def timeline_on_disk(self):
        """Of a server that does not run: the highest that it has begun a file of."""
        names = os.listdir(os.path.join(self.data, "pg_wal"))
        return max(int(name[:8], 16) for name in names if len(name) == 24)

    def waits_for(self, names):
        """A commit is answered when one of these has it on its disk; with none it is answered at once."""
        self.write("synchronous.conf", f"synchronous_standby_names = '{', '.join(names)}'\n")
        self.ask("SELECT pg_reload_conf()")

    def stream_of(self, name):
        """The state of a standby that streams from here."""
        return self.ask(f"SELECT state || ' ' || sync_state FROM pg_stat_replication WHERE application_name = '{name}'")

    def copy_of(self, primary):
        """Begins with everything that the primary has, and streams from it afterwards."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.tool("pg_basebackup", "-d", self.address_of(primary), "-D", self.data, "-X", "stream", "-c", "fast", timeout=300)
        self.configure(primary)

    def return_to(self, primary):
        """What was the primary takes back what the other never got, and streams from it. Whether by pg_rewind."""
        try:
            self.tool("pg_rewind", "-D", self.data, "--source-server", self.address_of(primary), "--no-sync", timeout=300)
        except NotThere:
            self.copy_of(primary)
            return False
        self.configure(primary)
        return True

    def end(self):
        if self.process and self.process.runs:
            self.process.send(signal.SIGCONT)
            # Fast: sessions are ended, what they had begun is undone.
            self.process.end(signal.SIGINT)


class Secrets:
    """Passwords in files as every program of PostgreSQL finds them: one that is ours, one that is the servers'."""

    def __init__(self, folder, user, password):
        self.password = password
        self.ours = os.path.join(folder, "pgpass")
        self.theirs = os.path.join(folder, "pgpass-of-servers")
        for path, name in ((self.ours, OWNER), (self.theirs, "streamer")):
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(f"*:*:*:{name}:{password}\n")
        give(self.theirs, user)


class Database:
    """The primary and its standby. `addresses`: where both listen; a node has one of its own, so that it can be cut off."""

    def __init__(self, folder, ports, addresses=("127.0.0.1",), with_standby=True, password="a secret of the cluster"):
        self.folder, self.user = folder, unprivileged_user()
        make_folder(folder, self.user)
        make_folder(os.path.join(folder, "run"), self.user, 0o755)
        os.chmod(folder, 0o755)
        self.secrets = Secrets(folder, self.user, password)
        names = ["db1", "db2"][: 2 if with_standby else 1]
        self.servers = [
            Server(name, folder, port, addresses, self.user, self.secrets) for name, port in zip(names, ports)
        ]
        self.promotions = self.rewound = 0

    def start(self):
        """For the first time, or with what lies in the folder."""
        if os.path.exists(self.servers[0].data):
            return self.start_again()
        first = self.primary = self.servers[0]
        first.create()
        first.start()
        first.ask(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{self.secrets.password}'")
        # pg_rewind reads files of the other server.
        first.ask(f"CREATE ROLE streamer LOGIN SUPERUSER REPLICATION PASSWORD '{self.secrets.password}'")
        first.ask(f"CREATE DATABASE {DATABASE} OWNER {OWNER} ENCODING 'UTF8' TEMPLATE template0")
        first.ask("CREATE EXTENSION pg_stat_statements", DATABASE)
        for standby in self.servers[1:]:
            standby.copy_of(first)
            standby.start()
        self.join()

    def start_again(self):
        """The one that follows nobody is the primary. Where a promotion was the last thing that happened, both are so;
        then it is the one whose history is longer."""
        leading = [server for server in self.servers if not server.follows]
        self.primary = max(leading, key=lambda server: server.timeline_on_disk())
        self.primary.configure()
        self.primary.start()
        if self.standby is None:
            return
        if self.standby in leading:
            return self.rebuild()
        self.standby.configure(self.primary)
        self.standby.start()
        self.join()

    @property
    def standby(self):
        return next((server for server in self.servers if server is not self.primary), None)

    def join(self):
        """From here on no commit is answered that only one of them has."""
        if self.standby is None:
            return
        wait_until(f"{self.standby.name} streams", lambda: self.primary.stream_of(self.standby.name).startswith("streaming"))
        self.primary.waits_for([self.standby.name])
        wait_until(f"{self.standby.name} is synchronous", lambda: self.primary.stream_of(self.standby.name) == "streaming sync")

    def lose_primary(self):
        """As its machine's end does it; the standby is promoted."""
        self.primary.process.kill()
        self.promote()

    def promote(self):
        """The standby is the primary from now on. It answers commits alone until the other has joined it again: with
        one server left, waiting for two would be standing still."""
        lost, self.primary = self.primary, self.standby
        self.primary.write("synchronous.conf", "")
        self.primary.tool("pg_ctl", "promote", "-D", self.primary.data, "-w", "-t", "60")
        self.promotions += 1
        return lost

    def rebuild(self):
        """The one that is not the primary comes back as the standby."""
        back = self.standby
        if back.process and back.process.runs:
            back.process.kill()
        # pg_rewind reads the control file's timeline, which a promotion writes at its checkpoint.
        self.primary.ask("CHECKPOINT", patience=60)
        self.rewound += back.return_to(self.primary)
        back.start()
        self.join()

    def url(self, host="127.0.0.1", **more):
        """For a node: both servers, of which the one that writes is taken."""
        hosts = ",".join(f"{host}:{server.port}" for server in self.servers)
        words = {"sslmode": "disable", **({"target_session_attrs": "read-write"} if len(self.servers) > 1 else {}), **more}
        return f"postgres://{OWNER}@{hosts}/{DATABASE}?" + "&".join(f"{name}={value}" for name, value in words.items())

    @property
    def environment(self):
        return {"PGPASSFILE": self.secrets.ours, "PGSERVICEFILE": "/dev/null"}

    def end(self):
        # The standby last: a primary that ends waits until its standby has everything.
        for server in sorted(self.servers, key=lambda server: server is not getattr(self, "primary", None)):
            server.end()


class Pooler:
    """PgBouncer in transaction mode before whichever server is the primary."""

    def __init__(self, folder, port, database):
        self.folder, self.port, self.database = folder, port, database
        make_folder(folder, database.user)
        self.log = os.path.join(folder, "log")
        self.process = None

    def start(self):
        program = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if program is None:
            raise NotThere("there is no PgBouncer here: tools/setup")
        hosts = ",".join("127.0.0.1" for _ in self.database.servers)
        ports = self.database.primary.port
        users, settings = os.path.join(self.folder, "users"), os.path.join(self.folder, "pgbouncer.ini")
        self.write(users, f'"{OWNER}" "{self.database.secrets.password}"\n')
        self.write(settings, f"""[databases]
{DATABASE} = host={hosts.split(',')[0]} port={ports} dbname={DATABASE}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
ignore_startup_parameters = extra_float_digits,options
""")
        self.process = Process("pgbouncer", [program, settings], self.log, self.database.user)
        wait_until("PgBouncer listens", lambda: self.process.must_run() and self.answers())

    def write(self, path, text):
        with open(path, "w") as file:
            file.write(text)
        give(path, self.database.user)

    def answers(self):
        words = ["psql", "-X", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port), "-U", OWNER, "-d", DATABASE, "-c", "SELECT 1"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=10, env=dict(os.environ, **self.database.environment))
        if done.returncode != 0:
            raise OSError(f"{done.stderr.strip()} {tail(self.log, 200)}")
        return True

    def url(self):
        return f"postgres://{OWNER}@127.0.0.1:{self.port}/{DATABASE}?sslmode=disable"

    def end(self):
        if self.process and self.process.runs:
            self.process.end(signal.SIGINT)
