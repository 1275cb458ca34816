"""Processes of a cluster: started so that they cannot outlive the tool, killed as a power cut would, and waited for by
what they do, never by a length of time."""
import concurrent.futures
import os
import pwd
import shutil
import signal
import subprocess
import time

# What PostgreSQL and PgBouncer run as when this is run by root, whom both refuse. The first that exists.
UNPRIVILEGED = ("postgres", "nobody")
PATIENCE = 60


class NotThere(Exception):
    """Something of the cluster did not come to be what it should be in time."""


def wait_until(what, condition, patience=PATIENCE, pace=0.05):
    """Polls until the condition is true, and gives back what it gave. What it raises as OSError means: not yet."""
    until = time.monotonic() + patience
    while True:
        problem = None
        try:
            found = condition()
            if found:
                return found
        except (OSError, subprocess.SubprocessError) as error:
            problem = error
        if time.monotonic() > until:
            raise NotThere(f"{what}: not within {patience} s" + (f" ({problem})" if problem else ""))
        time.sleep(pace)


def unprivileged_user():
    """The user's name; nothing where this is not run by root, and everything is run by the same user."""
    if os.getuid() != 0:
        return None
    for name in UNPRIVILEGED:
        try:
            pwd.getpwnam(name)
            return name
        except KeyError:
            continue
    raise NotThere(f"there is no user to run PostgreSQL as: one of {', '.join(UNPRIVILEGED)}")


def as_user(user):
    if user is None:
        return []
    entry = pwd.getpwnam(user)
    return [f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]


def run_as(user, words, **more):
    """Runs a program to its end, and gives back what it said."""
    before = ["setpriv", *as_user(user), "--"] if user else []
    done = subprocess.run([*before, *words], capture_output=True, text=True, timeout=more.pop("timeout", PATIENCE), **more)
    if done.returncode != 0:
        raise NotThere(f"{' '.join(words[:3])} ended with {done.returncode}: {(done.stderr or done.stdout)[-600:].strip()}")
    return done.stdout


def give(path, user):
    """Makes a file or folder that user's own; nothing to do where there is only one user."""
    if user:
        shutil.chown(path, user, pwd.getpwnam(user).pw_gid)


def make_folder(path, user=None, mode=0o700):
    os.makedirs(path, mode=mode, exist_ok=True)
    os.chmod(path, mode)
    give(path, user)
    return path


# The kernel ends children when the thread that started them ends, so one thread starts all of them and lasts.
_starter = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="starter")


class Process:
    """One program with its log. It dies with this one, however this one dies."""

    def __init__(self, name, words, log, user=None, environment=None, folder=None):
        self.name, self.log = name, log
        words = ["setpriv", "--pdeathsig", "KILL", *as_user(user), "--", *words]
        with open(log, "ab") as out:
            self.popen = _starter.submit(
                subprocess.Popen, words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, cwd=folder,
                start_new_session=True,
            ).result()  # fmt: skip

    @property
    def pid(self):
        return self.popen.pid

    @property
    def runs(self):
        return self.popen.poll() is None

    def must_run(self):
        if not self.runs:
            raise NotThere(f"{self.name} ended with {self.popen.returncode}: {tail(self.log)}")
        return True

    def family(self):
        """This process and all below it."""
        found, open_ = [], [self.pid]
        while open_:
            pid = open_.pop()
            found.append(pid)
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children") as file:
                        open_ += [int(word) for word in file.read().split()]
            except OSError:
                continue
        return found

    def send(self, number):
        """To it and all below it, the first one first: PostgreSQL's and nginx's first process would start others anew."""
        for pid in self.family():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def kill(self):
        """As a power cut does."""
        family = self.family()
        self.send(signal.SIGKILL)
        self.popen.wait()
        wait_until(f"{self.name}'s processes are gone", lambda: not any(is_alive(pid) for pid in family))

    def end(self, number=signal.SIGTERM, patience=PATIENCE):
        """In order; the code that it ends with."""
        if self.runs:
            self.popen.send_signal(number)
        try:
            return self.popen.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            raise NotThere(f"{self.name} did not end within {patience} s: {tail(self.log)}") from None

    def processor_seconds(self):
        """What it and all below it have taken, with those below it that have ended."""
        ticks = 0
        for pid in self.family():
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            ticks += int(fields[11]) + int(fields[12])
            if pid == self.pid:
                ticks += int(fields[13]) + int(fields[14])
        return ticks / os.sysconf("SC_CLK_TCK")


def is_alive(pid):
    """A process that is dead and not yet waited for counts as gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def tail(path, length=800):
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - length))
            return file.read().decode(errors="replace").strip()
    except OSError as error:
        return str(error)
