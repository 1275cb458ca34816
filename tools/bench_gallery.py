"""tools/bench gallery: the gallery's server beside other people's, in one run.

Images: thumbs by 256 connections that are kept (wrk), beside nginx serving the same files. PUTs: the same bytes into a folder
of the gallery, each durable when it is answered, and into nginx's WebDAV followed by one sync(1). Renditions: one child of the gallery
on one processor beside vipsthumbnail, also of pictures whose colours are converted. Pages: an event of 50,000 photos.
"""
import hashlib
import http.client
import json
import os
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import colouring
from colouring import ADOBE, P3, SRGB
import bench_progress

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(TOP, ".build", "bench")
GALLERY = os.path.join(os.environ.get("TETHERLINE_BIN", os.path.join(TOP, ".build/release")), "gallery")
PASSWORD = "a password for a bench"
PUTS, PUT_SIZE, AT_A_TIME = 100, 8_000_000, 4
THUMBS = 200
PICTURES = 8


class Server:
    def __init__(self, folder):
        self.data = os.path.join(folder, "data")
        os.mkdir(self.data)
        secret = os.path.join(folder, "password")
        with open(secret, "w") as file:
            file.write(PASSWORD)
        subprocess.run([GALLERY, "user", "add", "a@example.org", "--password-file", secret, "--data", self.data], check=True,
                       stdout=subprocess.DEVNULL)
        self.port_file = os.path.join(folder, "port")
        self.start()
        self.enter()

    def enter(self):
        login = self.call("POST", "/auth/login", {"email": "a@example.org", "password": PASSWORD})
        self.token = login["accessToken"]
        self.call("POST", "/consent", {"version": 1})
        self.event = self.call("POST", "/events", {"name": "Bench"})

    def command(self, *words):
        """A command of the gallery beside the server: what it said, and how it ended."""
        return subprocess.run([GALLERY, *words, "--data", self.data], capture_output=True, text=True)

    def start(self, port=0):
        if os.path.exists(self.port_file):
            os.remove(self.port_file)
        words = [GALLERY, "serve", "--listen", f"127.0.0.1:{port}", "--data", self.data, "--port-file", self.port_file]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while not os.path.exists(self.port_file):
            if self.process.poll() is not None:
                sys.exit("bench: the gallery does not start")
            time.sleep(0.01)
        with open(self.port_file) as file:
            self.port = int(file.read())

    def stop(self):
        self.process.terminate()
        self.process.wait(40)

    def end(self):
        """For good."""
        self.stop()

    def kill(self):
        """The same at once."""
        self.process.kill()

    def call(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(headers or {})
        if getattr(self, "token", None):
            sent["Authorization"] = f"Bearer {self.token}"
        connection.request(method, target, json.dumps(body) if body else None, sent)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            sys.exit(f"bench: {method} {target.split('?')[0]} was answered {answer.status} {text[:200]!r}")
        return json.loads(text)["data"] if text else None

    def open(self, method, target, headers=None):
        """An answer that is read while it comes."""
        sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, target, headers=sent)
        return connection.getresponse()

    def place(self, size, kind="image/jpeg", **more):
        wish = {"eventId": self.event["id"], "contentType": kind, "contentLength": size, **more}
        return self.call("POST", "/uploads/presign", wish)


def nginx(folder, root, body):
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as file:
        file.write(
            f"{'user root; ' if os.getuid() == 0 else ''}daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/nginx.log;\n"
            "events { worker_connections 2048; }\n"
            f"http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; client_max_body_size 1g;\n"
            f"  client_body_temp_path {folder}/temporary; types {{ image/jpeg jpg; }} default_type image/jpeg;\n"
            f"  server {{ listen 127.0.0.1:{{port}}; root {root}; {body} }} }}\n".replace("{port}", str(free_port(folder))))
    process = subprocess.Popen(["nginx", "-c", config, "-p", folder], stderr=subprocess.DEVNULL)
    with open(os.path.join(folder, "nginx-port")) as file:
        port = int(file.read())
    for _ in range(500):
        try:
            http.client.HTTPConnection("127.0.0.1", port, timeout=1).connect()
            return process, port
        except OSError:
            time.sleep(0.01)
    sys.exit("bench: nginx does not start")


def free_port(folder):
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(os.path.join(folder, "nginx-port"), "w") as file:
        file.write(str(port))
    return port


def wrk(folder, port, paths, connections):
    """Requests a second, and the 99th percentile in milliseconds."""
    script = os.path.join(folder, "paths.lua")
    with open(script, "w") as file:
        listed = ",".join(f'"{path}"' for path in paths)
        file.write(f"local paths = {{{listed}}}\nlocal at = 0\n"
                   "request = function() at = at % #paths + 1 return wrk.format('GET', paths[at]) end\n")
    words = ["wrk", "-t", "2", "-c", str(connections), "-d", "6", "--latency", "-s", script, f"http://127.0.0.1:{port}"]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in said:
        sys.exit(f"bench: {said}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", said).groups()
    return rate, float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def images(folder, server, rounds):
    """The thumbs are files of the gallery's own folder; nginx gets the same files under the names of their keys."""
    picture = os.path.join(folder, "one.jpg")
    subprocess.run(["convert", "-size", "800x533", "plasma:", "-quality", "85", picture], check=True)
    with open(picture, "rb") as file:
        base = file.read()
    for number in range(THUMBS):
        comment = f"{number}".encode()
        bytes_ = base[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + base[2:]
        put(server, bytes_)
    while server.call("GET", f"/events/{server.event['id']}")["counts"]["photos"] < THUMBS:
        time.sleep(0.1)
    photos = server.call("GET", f"/events/{server.event['id']}/photos?limit=200")["photos"]
    keys = [photo["thumbKey"] for photo in photos]
    root = os.path.join(folder, "root", "images")
    os.makedirs(root)
    for key in keys:
        shutil.copy(os.path.join(server.data, "objects", key[:2], key[2:4], key), os.path.join(root, key))
    size = statistics.mean(os.path.getsize(os.path.join(root, key)) for key in keys)
    process, port = nginx(folder, os.path.join(folder, "root"), "expires max;")
    paths = [f"/images/{key}" for key in keys]
    for connections in (64, 256):
        ours, theirs = [], []
        for number in range(rounds):
            ours.append(wrk(folder, server.port, paths, connections))
            theirs.append(wrk(folder, port, paths, connections))
            bench_progress.done(f"thumbs by {connections}", number + 1, rounds,
                                f"{ours[-1][0]:.0f} and {theirs[-1][0]:.0f} requests/s")
        report(f"thumbs of {size / 1000:.0f} KB, {connections} connections", "requests/s", [rate for rate, _ in ours],
               "nginx", [rate for rate, _ in theirs])
        print(f"  99th percentile: gallery {statistics.median(p for _, p in ours):.1f} ms, "
              f"nginx {statistics.median(p for _, p in theirs):.1f} ms")
    process.terminate()
    process.wait()


def put(server, bytes_, kind="image/jpeg", **more):
    """To where the server says, which need not be the server itself."""
    place = server.place(len(bytes_), kind, **more)
    address = urllib.parse.urlsplit(place["putUrl"])
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    connection.request("PUT", f"{address.path}?{address.query}" if address.query else address.path, bytes_, place["requiredHeaders"])
    if connection.getresponse().status != 200:
        sys.exit("bench: a PUT was refused")
    connection.close()
    return place


def puts(folder, server, rounds):
    """Bytes that are no picture, so that the gallery does not begin to work on them meanwhile."""
    source = os.path.join(folder, "bytes")
    with open(source, "wb") as file:
        file.write(os.urandom(PUT_SIZE))
    ours, theirs = [], []
    for number in range(rounds):
        config = os.path.join(folder, "ours")
        write_config(config, source, [(place["putUrl"], place["requiredHeaders"]) for place in
                                      (server.place(PUT_SIZE) for _ in range(PUTS))])
        ours.append(PUTS * PUT_SIZE / 1e6 / timed(folder, config))
        process, port = nginx(folder, os.path.join(folder, f"dav{number}"), "dav_methods PUT; create_full_put_path on;")
        os.makedirs(os.path.join(folder, f"dav{number}"), mode=0o777, exist_ok=True)
        os.chmod(os.path.join(folder, f"dav{number}"), 0o777)
        write_config(config, source, [(f"http://127.0.0.1:{port}/{index}", {}) for index in range(PUTS)])
        theirs.append(PUTS * PUT_SIZE / 1e6 / timed(folder, config, "sync"))
        bench_progress.done("PUT", number + 1, rounds, f"{ours[-1]:.0f} and {theirs[-1]:.0f} MB/s")
        process.terminate()
        process.wait()
        shutil.rmtree(os.path.join(folder, f"dav{number}"))
    report(f"PUT {PUTS} × {PUT_SIZE // 1_000_000} MB, {AT_A_TIME} at a time, on the disk", "MB/s", ours, "nginx + sync", theirs)


def write_config(path, source, targets):
    with open(path, "w") as config:
        for number, (url, headers) in enumerate(targets):
            lines = ["next"] if number else []
            lines += [f'url = "{url}"', f'upload-file = "{source}"', "output = /dev/null", "fail", "silent", 'header = "Expect:"']
            lines += [f'header = "{name}: {value}"' for name, value in headers.items() if name != "Content-Length"]
            config.write("\n".join(lines) + "\n")


def timed(folder, config, *after):
    os.sync()
    began = time.monotonic()
    subprocess.run(["curl", "--parallel", "--parallel-max", str(AT_A_TIME), "--config", config], check=True, cwd=folder)
    if after:
        subprocess.run(after, check=True)
    return time.monotonic() - began


def renditions(folder, rounds):
    """A renderer of ours, asked as the gallery asks it, and vipsthumbnail, both on one processor and by its time: 24 megapixels, all
    three sizes; as they are, and with profiles that have to be converted to sRGB."""
    files = []
    for number in range(PICTURES):
        path = os.path.join(folder, f"large{number}.jpg")
        subprocess.run(["convert", "-size", "1500x1000", "plasma:", "-resize", "6000x4000!", "-attenuate", "0.3", "+noise",
                        "Gaussian", "-quality", "90", path], check=True)
        files.append(path)
    kinds = {"": files}
    for name, primaries, gamma in (("of sRGB", SRGB, None), ("of Display P3", P3, None), ("of Adobe RGB", ADOBE, 563 / 256)):
        kinds[name] = [with_profile(path, name, colouring.profile(primaries, gamma, name)) for path in files]
    ours, theirs = ({name: [] for name in kinds} for _ in range(2))
    for number in range(rounds):
        for name, files in kinds.items():
            ours[name].append(PICTURES / processor_time(ours_once, folder, files))
            theirs[name].append(PICTURES / processor_time(theirs_once, folder, files, name != ""))
            bench_progress.done(f"photos {name}", number + 1, rounds, f"{ours[name][-1]:.1f} and {theirs[name][-1]:.1f} photos/s")
    for name in kinds:
        report(f"24-megapixel photos {name and name + ' '}into three renditions, one processor", "photos/s", ours[name],
               "vipsthumbnail", theirs[name])


def with_profile(path, name, profile):
    with open(path, "rb") as file:
        data = colouring.in_icc_segments(file.read(), profile)
    path = path.replace(".jpg", f" {name}.jpg")
    with open(path, "wb") as file:
        file.write(data)
    return path


def processor_time(work, *arguments):
    """What its processes took, so that others on this machine do not count."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    work(*arguments)
    return used() - before


def theirs_once(folder, files, converts):
    more = ["--export-profile", "srgb"] if converts else []
    for path in files:
        for size in ("2048x2048>", "800x800>", "400x400>"):
            subprocess.run(["taskset", "-c", "0", "vipsthumbnail", path, "--size", size, *more, "-o",
                            f"{folder}/v{size[:3]}.jpg[Q=82,interlace]"], check=True,
                           env=dict(os.environ, VIPS_CONCURRENCY="1"))


def ours_once(folder, files):
    import socket

    here, there = socket.socketpair()
    process = subprocess.Popen(["taskset", "-c", "0", GALLERY, "render"], stdin=subprocess.DEVNULL, stdout=there.fileno())
    there.close()
    lines = here.makefile("rw")
    for path in files:
        # As GalleryRenditions wants them.
        wanted = [{"path": f"{folder}/{name}.jpg", "edge": edge, "quality": 82, "progressive": name == "s", "drawing": False}
                  for name, edge in (("t", 400), ("s", 2048), ("m", 800))]
        job = {"file": path, "type": "image/jpeg", "renditions": wanted}
        lines.write(json.dumps(job) + "\n")
        lines.flush()
        answer = lines.readline()
        if "sha256" not in answer:
            sys.exit(f"bench: the renderer says {answer}")
        for name in ("t.jpg", "s.jpg", "m.jpg"):
            os.remove(os.path.join(folder, name))
    here.close()
    process.terminate()
    process.wait()


def pages(server, rounds):
    """50,000 photos, written by hand into the rows."""
    server.stop()
    database = sqlite3.connect(os.path.join(server.data, "gallery.sqlite"))
    columns = [row[1] for row in database.execute("PRAGMA table_info(photos)")]
    made = {"id": "printf('%08x-0000-4000-8000-000000000000', i)", "sequence": "i + 1000", "sha256": "printf('%064x', i)",
            "thumb_key": "printf('c%031x', i)", "screen_key": "printf('a%031x', i)", "original_key": "printf('b%031x', i)", "tile_key": "printf('d%031x', i)",
            "stamp": "stamp + i"}
    chosen = ", ".join(made.get(name, name) for name in columns)
    with database:
        database.execute(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
            f"INSERT INTO photos ({', '.join(columns)}) SELECT {chosen} FROM n, (SELECT * FROM photos LIMIT 1)")
    database.close()
    server.start()
    for coding in ("identity", "gzip"):
        took = []
        for _ in range(20 * rounds):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.connect()
            began = time.monotonic()
            connection.request("GET", f"/e/{server.event['slug']}", headers={"Accept-Encoding": coding})
            answer = connection.getresponse()
            size = len(answer.read())
            took.append((time.monotonic() - began) * 1000)
            connection.close()
        print(f"guests' page of 50,000 photos, {coding}: median {statistics.median(took):.1f} ms, worst {max(took):.1f} ms, {size} bytes")


def report(title, unit, ours, name, theirs):
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"{title}: gallery {mine:.0f} {unit}, {name} {other:.0f}: {100 * mine / other:.0f} %" if mine > 20 else
          f"{title}: gallery {mine:.2f} {unit}, {name} {other:.2f}: {100 * mine / other:.0f} %", flush=True)


def main(rounds):
    for tool in ("nginx", "wrk", "curl", "convert", "vipsthumbnail", "taskset"):
        if shutil.which(tool) is None:
            sys.exit(f"bench: there is no {tool}: tools/setup")
    os.makedirs(FOLDER, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="gallery-", dir=FOLDER)
    os.chmod(folder, 0o755)
    print(f"{os.cpu_count()} processors, {time.strftime('%Y-%m-%d')}, medians of {rounds}")
    server = Server(folder)
    try:
        images(folder, server, rounds)
        puts(folder, server, rounds)
        renditions(folder, rounds)
        pages(server, rounds)
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
