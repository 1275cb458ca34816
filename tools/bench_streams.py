"""tools/bench streams: clients by the thousand that listen to one node, from several addresses of this machine.

What each of them takes of the gallery's memory, and of the kernel's beside it; what a change costs, and when the last client has
heard of it. A change is a caption that the host writes; the clock runs from before the request until a client has read the message.
One program waits at all clients, on the same processors, so the delays are also its own.

Then all are cut off at one moment, as by the end of a node, and come back as browsers do: each after the pause that the node has told
it (`retry:`), with the id of the last message, and after that pause once more where it is not answered. They are back when they have heard
of a change that was made meanwhile.
"""
import heapq
import json
import os
import re
import resource
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import bench_gallery
import bench_progress

# Of each address, so that none runs out of ports or meets the limit of one.
PER_ADDRESS = 1000
# So many connections are under way at a time.
AT_ONCE = 200
PATIENCE = 120
CHANGES = 20


def memory(pid):
    """Resident bytes."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))


def processor(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kernel():
    """Bytes that the kernel keeps for all TCP sockets of this machine, both ends of each connection among them."""
    with open("/proc/net/sockstat") as file:
        words = next(line for line in file if line.startswith("TCP:")).split()
    return int(words[words.index("mem") + 1]) * os.sysconf("SC_PAGE_SIZE")


class Crowd:
    """All clients, waited for at one place."""

    def __init__(self, ports, target, network="127.0.0"):
        # Each comes to the next of them.
        self.ports, self.target, self.begun = ports, target, 0
        # Where its addresses are.
        self.network = network
        self.request = self.asking()
        self.poll = select.epoll()
        self.open = {}
        self.waiting = {}
        # Seconds that the server has told each to wait before it comes back, and the message that all heard last.
        self.pauses, self.last = {}, None
        # What has to be in an answer, too.
        self.missed = b""

    def address(self, number):
        return f"{self.network}.{2 + number // PER_ADDRESS}"

    def asking(self, more=""):
        return f"GET {self.target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n{more}\r\n".encode()

    def note(self, number, text):
        """What a browser keeps of a stream."""
        for pause in re.findall(rb"(?m)^retry: (\d+)\n", text):
            self.pauses[number] = int(pause) / 1000
        for last in re.findall(rb"(?m)^id: (\S+)\n", text):
            self.last = last.decode()

    def leave(self):
        """All at once; how long each is to wait."""
        for client in self.open.values():
            client.close()
        pauses = [self.pauses[number] for number in self.open]
        self.open, self.pauses = {}, {}
        return pauses

    def come_back(self, pauses):
        """Until all listen: how often one was not answered, and how long each waited beyond its pause."""
        self.request = self.asking(f"Last-Event-ID: {self.last}\r\n")
        began = time.monotonic()
        due = [(began + pause, began + pause, pause, self.address(number)) for number, pause in enumerate(pauses)]
        heapq.heapify(due)
        under_way, refused, waits = {}, 0, []
        while due or under_way:
            if time.monotonic() - began > PATIENCE:
                sys.exit(f"bench: {len(due) + len(under_way)} of {len(pauses)} clients did not come back in {PATIENCE} s")
            while due and due[0][0] <= time.monotonic():
                _, first, pause, address = heapq.heappop(due)
                under_way[self.begin(address)] = first, pause, address
            for number, _ in self.poll.poll(0.002, 512):
                was_waiting = number in self.waiting
                self.greet(number, may_end=True)
                if was_waiting and number in self.open:
                    waits.append(time.monotonic() - under_way.pop(number)[0])
                elif was_waiting and number not in self.waiting:
                    first, pause, address = under_way.pop(number)
                    refused += 1
                    heapq.heappush(due, (time.monotonic() + pause, first, pause, address))
        return refused, waits

    def join(self, count):
        """Until each has been answered."""
        begun, until = 0, time.monotonic() + PATIENCE
        while begun < count or self.waiting:
            while begun < count and len(self.waiting) < AT_ONCE:
                self.begin(self.address(begun))
                begun += 1
            for number, _ in self.poll.poll(1, 512):
                self.greet(number)
            if time.monotonic() > until:
                sys.exit(f"bench: {len(self.waiting)} of {count} clients were not answered in {PATIENCE} s")

    def begin(self, address):
        client = socket.socket()
        client.setblocking(False)
        client.bind((address, 0))
        client.connect_ex(("127.0.0.1", self.ports[self.begun % len(self.ports)]))
        self.begun += 1
        self.waiting[client.fileno()] = (client, bytearray())
        self.poll.register(client, select.EPOLLOUT)
        return client.fileno()

    def refuse(self, number, may_end, reason):
        if not may_end:
            sys.exit(f"bench: {reason}")
        self.waiting.pop(number)[0].close()

    def greet(self, number, may_end=False):
        if number in self.open:
            # A heartbeat, another pause, or the end of what was said before.
            text = self.open[number].recv(65536)
            if not text:
                sys.exit("bench: a stream ended")
            self.note(number, text)
            return
        client, heard = self.waiting[number]
        if not heard:
            failure = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failure:
                return self.refuse(number, may_end, f"a client cannot connect: {os.strerror(failure)}")
            client.send(self.request)
            heard += b" "
            self.poll.modify(client, select.EPOLLIN)
            return
        try:
            text = client.recv(4096)
        except BlockingIOError:
            return
        except ConnectionResetError:
            text = b""
        heard += text
        if not text or b"\r\n\r\n" in heard and (b" 200 " not in heard or b"event: poll" in heard):
            return self.refuse(number, may_end, f"a client was answered {bytes(heard)[:300]!r}")
        if b"retry: " in heard and heard.endswith(b"\n\n") and self.missed in heard:
            del self.waiting[number]
            self.open[number] = client
            self.note(number, heard)

    def hear(self, mark, change):
        """Seconds until each client has heard the mark, from just before `change` begins."""
        mark, rest, heard = mark.encode(), {}, []
        began = time.monotonic()
        change()
        delays = []
        while len(delays) < len(self.open):
            if time.monotonic() - began > PATIENCE:
                sys.exit(f"bench: {len(self.open) - len(delays)} clients heard nothing in {PATIENCE} s")
            for number, _ in self.poll.poll(1, 4096):
                text = self.open[number].recv(65536)
                if not text:
                    sys.exit("bench: a stream ended")
                text = rest.pop(number, b"") + text
                if mark in text:
                    heard.append((number, text))
                    delays.append(time.monotonic() - began)
                else:
                    rest[number] = text[-4096:]
        # Not while the clock runs.
        for number, text in heard:
            self.note(number, text)
        return delays


class Host:
    """Changes a caption, without waiting for the answer before the clients are looked at."""

    def __init__(self, port, token, photo):
        self.head = f"PATCH /photos/{photo} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        self.line = socket.create_connection(("127.0.0.1", port))

    def change(self, caption):
        body = json.dumps({"caption": caption})
        self.line.sendall(f"{self.head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())

    def answered(self):
        answer = self.line.recv(65536)
        if b" 200 " not in answer.split(b"\r\n", 1)[0]:
            sys.exit(f"bench: a caption was answered {answer[:200]!r}")


def photo(folder, server):
    path = os.path.join(folder, "one.jpg")
    subprocess.run(["convert", "-size", "300x200", "plasma:", path], check=True)
    with open(path, "rb") as file:
        bench_gallery.put(server, file.read())
    while server.call("GET", f"/events/{server.event['id']}")["counts"]["photos"] < 1:
        time.sleep(0.1)


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def allow_files(streams):
    """A client of each stream, and what Python needs."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < streams + 500:
        sys.exit(f"bench: {streams} clients need more open files than {hard}; raise the limit with ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main(streams=10_000, changes=CHANGES):
    allow_files(streams)
    os.makedirs(bench_gallery.FOLDER, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="streams-", dir=bench_gallery.FOLDER)
    server = bench_gallery.Server(folder)
    try:
        photo(folder, server)
        come_back(server, *measure(server, streams, changes))
    finally:
        server.stop()
        shutil.rmtree(folder)


def measure(server, streams, changes):
    pid = server.process.pid
    shown = server.call("GET", f"/events/{server.event['id']}/photos")["photos"][0]
    crowd, host = Crowd([server.port], f"/e/{server.event['slug']}/live"), Host(server.port, server.token, shown["id"])
    # What the first client and the first change need is there already.
    crowd.join(1)
    crowd.hear("warm", lambda: host.change("warm"))
    host.answered()
    resident, kept, began = memory(pid), kernel(), time.monotonic()
    busy = processor(pid)
    crowd.join(streams)
    took = time.monotonic() - began
    print(f"{streams} clients listen after {took:.1f} s, which took the gallery {processor(pid) - busy:.2f} s of a processor")
    print(f"memory for each: {(memory(pid) - resident) / streams / 1000:.2f} KB resident of the gallery, "
          f"{(kernel() - kept) / streams / 1000:.2f} KB of the kernel for both ends")
    delays, lasts, busy = [], [], processor(pid)
    for number in range(changes):
        mark = f"caption {number} of {changes}"
        heard = crowd.hear(mark, lambda: host.change(mark))
        host.answered()
        delays += heard
        lasts.append(max(heard))
        bench_progress.done("change", number + 1, changes, f"the last client after {1000 * lasts[-1]:.0f} ms")
    each = (processor(pid) - busy) / changes
    print(f"a change to {streams} clients, of {changes}: median {1000 * statistics.median(delays):.0f} ms, "
          f"p99 {1000 * percentile(delays, 0.99):.0f} ms, last {1000 * max(delays):.0f} ms; the last client's median "
          f"{1000 * statistics.median(lasts):.0f} ms; {each:.3f} s of a processor for each")
    print(f"memory for each after that: {(memory(pid) - resident) / streams / 1000:.2f} KB", flush=True)
    return crowd, host


def figure(server, name):
    """Of the node's own, summed over its labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=PATIENCE) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if re.match(rf"{name}[ {{]", line))


def come_back(server, crowd, host):
    pid, pauses = server.process.pid, crowd.leave()
    until = time.monotonic() + PATIENCE
    while figure(server, "gallery_event_streams") > 0:
        if time.monotonic() > until:
            sys.exit(f"bench: the gallery still counts streams after {PATIENCE} s")
        time.sleep(0.1)
    # Each is back when it has been told of what changed meanwhile.
    for caption in ("missed first", "missed last"):
        host.change(caption)
        host.answered()
    crowd.missed = b"missed last"
    # How often the node has used its database.
    used, busy, began = figure(server, "gallery_database_seconds_count"), processor(pid), time.monotonic()
    refused, waits = crowd.come_back(pauses)
    print(f"{len(pauses)} clients that are cut off come back after what they were told, {min(pauses):.1f} to {max(pauses):.1f} s: all listen "
          f"after {time.monotonic() - began:.1f} s, p99 {1000 * percentile(waits, 0.99):.0f} ms after its pause, {refused} were not answered "
          f"and came once more, {processor(pid) - busy:.2f} s of a processor, "
          f"{figure(server, 'gallery_database_seconds_count') - used:.0f} uses of the database", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
