#!/usr/bin/env python3
"""A bad network made for real: two namespaces of the kernel with cables between them. Used by prove-network and
prove-uplink; needs root.

The desk and the store are network namespaces joined by veth pairs, so that nothing here touches the machine's own
network. A thin uplink is the kernel's token bucket (`tc tbf`), loss and blackouts are rules of nftables, and delay,
which some kernels cannot make by themselves, is a queue of netfilter that is answered from here. Run as a program, in
the store's namespace, this is what misbehaves there:

  tools/badnet.py wait --delay 200 [--jitter 10]    holds packets back, for so many milliseconds
  tools/badnet.py names                             a name server that knows one address for every name
  tools/badnet.py portal PORT                       answers every request with 200 and a page
"""
import argparse
import collections
import ctypes
import fcntl
import http.server
import os
import random
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

PREFIX = "badnet"
# The store's own address, on its loopback: whichever cable leads there.
STORE = "10.77.0.2"
CLONE_NEWNET = 0x40000000
QUEUE = 7


# MARK: Namespaces


def sh(*words, check=True, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


class Namespace:
    def __init__(self, name):
        self.name = f"{PREFIX}-{os.getpid()}-{name}"
        sh("ip", "netns", "add", self.name)
        self.ip("link", "set", "lo", "up")

    def ip(self, *words):
        return sh("ip", "-n", self.name, *words)

    def entering(self, *words):
        return ["ip", "netns", "exec", self.name, *words]

    def sh(self, *words, **more):
        return sh(*self.entering(*words), **more)

    def rules(self, text):
        """The whole table at once, in place of what there was."""
        self.sh("nft", "-f", "-", input=f"table inet bad\ndelete table inet bad\ntable inet bad {{\n{text}\n}}\n")

    def inside(self, work):
        """What `work` gives, done by a thread that lives in this namespace: its sockets and its /proc are there."""
        result = []

        def enter():
            try:
                with open(f"/run/netns/{self.name}") as file:
                    if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
                        raise OSError(ctypes.get_errno(), "setns")
                result.append((work(), None))
            except BaseException as error:
                result.append((None, error))

        thread = threading.Thread(target=enter, daemon=True)
        thread.start()
        thread.join()
        value, error = result[0]
        if error:
            raise error
        return value

    def use_names_from(self, address):
        folder = f"/etc/netns/{self.name}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/resolv.conf", "w") as file:
            file.write(f"nameserver {address}\noptions timeout:1 attempts:1\n")

    def close(self):
        sh("ip", "netns", "del", self.name, check=False)
        shutil.rmtree(f"/etc/netns/{self.name}", ignore_errors=True)


def sweep():
    """What a program left that was killed before it could tidy up."""
    for line in sh("ip", "netns", "list").splitlines():
        name = line.split()[0] if line.strip() else ""
        parts = name.split("-")
        if parts[0] == PREFIX and len(parts) > 2 and not os.path.exists(f"/proc/{parts[1]}"):
            sh("ip", "netns", "del", name, check=False)
            shutil.rmtree(f"/etc/netns/{name}", ignore_errors=True)


SIOCETHTOOL = 0x8946
# Segmentation and merging by "hardware": with them a packet on a veth is 64 KB, and losing one of those is another
# matter than losing a packet.
OFFLOADS = {"tso": 0x1F, "gso": 0x24, "gro": 0x2C}


def without_offloads(interface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in OFFLOADS.values():
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP", interface.encode(), ctypes.addressof(value)) + bytes(16)
            fcntl.ioctl(any_socket, SIOCETHTOOL, request)


class Network:
    """A desk, a store, and the cables between them. Everything that was started in it ends with it."""

    def __init__(self, *cables):
        if os.geteuid() != 0:
            sys.exit("network namespaces need root")
        sweep()
        self.processes = []
        self.delayer = None
        self.desk = Namespace("desk")
        self.store = Namespace("store")
        self.store.ip("addr", "add", f"{STORE}/32", "dev", "lo")
        self.cables = list(cables)
        for number, cable in enumerate(cables, 1):
            self.lay(cable, number)
        self.lead(cables[0])
        self.good()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def lay(self, cable, number):
        desk, store = self.desk, self.store
        words = ["link", "add", cable, "type", "veth", "peer", "name", cable, "netns", store.name]
        desk.ip(*words)
        for end, last in ((desk, 1), (store, 2)):
            end.ip("addr", "add", f"10.77.{number}.{last}/24", "dev", cable)
            end.ip("link", "set", cable, "up")
            end.inside(lambda: without_offloads(cable))

    def lead(self, cable, congestion=None):
        """The way to the store, and to everything else, goes by this cable from now on."""
        gateway = f"10.77.{self.cables.index(cable) + 1}.2"
        # Locked: neither a socket nor a program chooses another.
        how = ["congctl", "lock", congestion] if congestion else []
        for target in ("default", STORE):
            self.desk.ip("route", "replace", target, "via", gateway, "dev", cable, *how)

    def start(self, namespace, words, **more):
        process = subprocess.Popen(namespace.entering(*words), start_new_session=True, **more)
        self.processes.append(process)
        return process

    def end(self, process):
        if process in self.processes:
            self.processes.remove(process)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()

    # MARK: What is bad about it

    def good(self):
        """As it was at first: as fast as the machine, and nothing lost."""
        self.thin(None)
        self.bad()

    def bad(self, delay=0, jitter=0, loss=0, dark=False, portal=None):
        """Milliseconds on the way there; percents on both ways; nothing comes through at all; or everything that is
        meant for the store's port is answered by another one."""
        if self.delayer:
            self.end(self.delayer)
            self.delayer = None
        lost = f"numgen random mod 1000 < {int(loss * 10)} drop" if loss else ""
        there = [f'iifname "{cable}"' for cable in self.cables]
        drops = ["drop" if dark else lost]
        # Not every kernel's nftables can queue; the older tables can.
        self.store.sh("iptables", "-F", "INPUT")
        self.desk.rules(chain("input", [f"{way} {rule}" for way in there for rule in drops if rule]))
        nat = ""
        if portal:
            nat = chain("prerouting", [f"tcp dport {portal[0]} dnat ip to {STORE}:{portal[1]}"], "nat")
        rules = [f"{way} {rule}" for way in there for rule in drops if rule]
        self.store.rules(chain("input", rules) + "\n" + nat)
        if delay or jitter:
            self.delay(delay, jitter)

    def delay(self, delay, jitter):
        words = [sys.executable, os.path.abspath(__file__), "wait", "--delay", str(delay), "--jitter", str(jitter)]
        self.delayer = self.start(self.store, words, stdout=subprocess.PIPE, text=True)
        if self.delayer.stdout.readline() != "ready\n":
            raise RuntimeError("there is no queue in which packets wait")
        for cable in self.cables:
            words = ["iptables", "-A", "INPUT", "-i", cable, "-j", "NFQUEUE", "--queue-num", str(QUEUE)]
            self.store.sh(*words)

    def thin(self, rate, queue="100ms"):
        """Bits a second on the way there, such as "1mbit"; None for any."""
        for cable in self.cables:
            self.desk.sh("tc", "qdisc", "del", "dev", cable, "root", check=False)
            if rate:
                words = ["tc", "qdisc", "add", "dev", cable, "root", "tbf", "rate", rate]
                self.desk.sh(*words, "burst", "16kb", "latency", queue)

    def close(self):
        for process in list(self.processes):
            self.end(process)
        for namespace in (self.desk, self.store):
            namespace.close()


def chain(hook, rules, kind="filter"):
    name = f"{kind}_{hook}"
    priority = "dstnat" if kind == "nat" else "filter"
    return "\n".join([f"chain {name} {{", f"type {kind} hook {hook} priority {priority};", *rules, "}"])


# MARK: Looking at connections


class Connections:
    """How many connections the desk has to a port, again and again, and how many of them have so much to send."""

    def __init__(self, namespace, port, every=0.1, least=1):
        self.namespace, self.port, self.every, self.least = namespace, port, every, least
        # (moment, established, sending)
        self.samples = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=lambda: namespace.inside(self.look), daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def look(self):
        while not self.is_over.wait(self.every):
            established = sending = 0
            with open("/proc/thread-self/net/tcp") as table:
                for line in list(table)[1:]:
                    fields = line.split()
                    # 01 is TCP_ESTABLISHED; the queue is what was written and is not acknowledged.
                    if fields[3] == "01" and int(fields[2].split(":")[1], 16) == self.port:
                        established += 1
                        sending += int(fields[4].split(":")[0], 16) >= self.least
            self.samples.append((time.monotonic(), established, sending))

    @property
    def most(self):
        """Of those that have something to send; one that is kept for later does no harm."""
        return max((sample[2] for sample in self.samples), default=0)


# MARK: The program: packets that wait

NETLINK_NETFILTER = 12
QUEUE_PACKET, QUEUE_CONFIG, QUEUE_VERDICT_BATCH = 0x300, 0x302, 0x303
REQUEST, ACKNOWLEDGE = 1, 4
ACCEPT = 1
SOL_NETLINK, NO_ENOBUFS = 270, 5


class Queue:
    """A queue of netfilter, spoken to in netlink. Packets stay in the kernel; here are their numbers only."""

    def __init__(self, number):
        self.number = number
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.setsockopt(SOL_NETLINK, NO_ENOBUFS, 1)
        self.socket.bind((0, 0))
        bind, copy_nothing = 1, 1
        self.say(QUEUE_CONFIG, 1, struct.pack(">BxH", bind, 0), REQUEST | ACKNOWLEDGE)
        self.hear()
        self.say(QUEUE_CONFIG, 2, struct.pack(">IB", 0, copy_nothing), REQUEST | ACKNOWLEDGE)
        self.hear()
        self.say(QUEUE_CONFIG, 3, struct.pack(">I", 50000), REQUEST | ACKNOWLEDGE)
        self.hear()
        self.socket.setblocking(False)

    def say(self, kind, attribute, value, flags=REQUEST):
        value = struct.pack("HH", 4 + len(value), attribute) + value
        value += bytes(-len(value) % 4)
        body = struct.pack(">BBH", 0, 0, self.number) + value
        self.socket.send(struct.pack("IHHII", 16 + len(body), kind, flags, 0, 0) + body)

    def hear(self):
        answer = self.socket.recv(65536)
        (problem,) = struct.unpack_from("i", answer, 16)
        if problem:
            raise OSError(-problem, "the queue cannot be had")

    def arrived(self):
        """The numbers of all packets that have come, in their order."""
        while True:
            try:
                message = self.socket.recv(65536)
            except BlockingIOError:
                return
            at = 0
            while at + 16 <= len(message):
                length, kind = struct.unpack_from("IH", message, at)
                if kind == QUEUE_PACKET:
                    yield self.packet(message[at + 20 : at + length])
                at += max(16, length + (-length % 4))

    @staticmethod
    def packet(attributes):
        at = 0
        while at + 4 <= len(attributes):
            length, kind = struct.unpack_from("HH", attributes, at)
            if kind & 0x7FFF == 1:
                return struct.unpack_from(">I", attributes, at + 4)[0]
            at += max(4, length + (-length % 4))
        raise ValueError("a packet without a number")

    def let_through(self, last):
        """All up to this one."""
        self.say(QUEUE_VERDICT_BATCH, 2, struct.pack(">II", ACCEPT, last))


def delay_packets(number, delay, jitter):
    queue, waiting, latest = Queue(number), collections.deque(), 0.0
    print("ready", flush=True)
    while True:
        pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        select.select([queue.socket], [], [], pause)
        now = time.monotonic()
        for packet in queue.arrived():
            # Late, but in their order, as on a cable.
            latest = max(latest, now + delay + random.uniform(-jitter, jitter))
            waiting.append((latest, packet))
        last = None
        while waiting and waiting[0][0] <= now:
            last = waiting.popleft()[1]
        if last is not None:
            queue.let_through(last)


# MARK: The program: a name server, a portal


def answer_names():
    """Every name has the store's address (RFC 1035); there is nothing else."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((STORE, 53))
    address = socket.inet_aton(STORE)
    while True:
        question, client = server.recvfrom(512)
        end = question.index(0, 12) + 5
        (kind,) = struct.unpack_from(">H", question, end - 4)
        count = 1 if kind == 1 else 0
        answer = question[:2] + struct.pack(">HHHHH", 0x8180, 1, count, 0, 0) + question[12:end]
        if count:
            # A pointer to the name in the question; an address in the internet, for a second.
            answer += struct.pack(">HHHIH", 0xC00C, 1, 1, 1, 4) + address
        server.sendto(answer, client)


class Portal(http.server.BaseHTTPRequestHandler):
    """Takes whatever comes and says that all is well."""

    protocol_version = "HTTP/1.1"
    page = b"<html><head><title>Welcome</title></head><body>Accept our terms to go online.</body></html>"

    def answer(self):
        length = int(self.headers.get("Content-Length", 0))
        while length > 0:
            piece = self.rfile.read(min(length, 1 << 16))
            if not piece:
                return
            length -= len(piece)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(self.page)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_OPTIONS = answer

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    waiting = parts.add_parser("wait")
    waiting.add_argument("--delay", type=float, default=0, help="milliseconds")
    waiting.add_argument("--jitter", type=float, default=0, help="milliseconds more or less")
    parts.add_parser("names")
    parts.add_parser("portal").add_argument("port", type=int)
    arguments = parser.parse_args()
    if arguments.part == "wait":
        delay_packets(QUEUE, arguments.delay / 1000, arguments.jitter / 1000)
    elif arguments.part == "names":
        answer_names()
    else:
        server = http.server.ThreadingHTTPServer((STORE, arguments.port), Portal)
        # A client that hangs up is no error.
        server.handle_error = lambda *_: None
        server.serve_forever()


if __name__ == "__main__":
    main()
