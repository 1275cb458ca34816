"""tools/bench hud: what the bridge's page costs while fifty photos a second arrive.

A camera in software shoots every 20 ms for half a minute; a bridge fetches each photo and copies it into a folder. In each round once
without a page, once with a page that two browsers have open: they hear everything and ask for the picture of every tile. What the page's
threads and its renderer take is read from the kernel's accounts of them.
"""
import http.client
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.parse

SECONDS, EVERY = 20, 20
BROWSERS = 2
# As the bridge calls them; the server's thread is named by its library.
THREADS = ("hud", "MHD-")


class Browser(threading.Thread):
    """Reads the feed and asks for the camera's picture of each new tile, as the page does while photos come."""

    def __init__(self, base, token):
        super().__init__(daemon=True)
        self.host = urllib.parse.urlsplit(base).netloc
        self.headers = {"Authorization": f"Bearer {token}"}
        self.shown, self.pictures = set(), 0

    def run(self):
        feed = http.client.HTTPConnection(self.host)
        feed.request("GET", "/api/events", headers=self.headers)
        asking = http.client.HTTPConnection(self.host)
        answer = feed.getresponse()
        try:
            while line := answer.readline():
                if line.startswith(b"data: {\"photos\""):
                    for photo in json.loads(line[6:])["photos"]:
                        self.look(asking, photo)
        except (OSError, http.client.HTTPException):
            return

    def look(self, asking, photo):
        if photo["picture"] is None or photo["id"] in self.shown:
            return
        self.shown.add(photo["id"])
        asking.request("GET", f"/pictures/{photo['id']}/{photo['picture']}/camera", headers=self.headers)
        self.pictures += len(asking.getresponse().read()) > 0


def spent(pid, chosen):
    """Seconds of processor time of these threads."""
    ticks = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/comm") as file:
                name = file.read().strip()
            with open(f"/proc/{pid}/task/{thread}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except FileNotFoundError:
            continue
        if chosen(name):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def run(folder, binaries, with_page):
    port_file, url_file = os.path.join(folder, "port"), os.path.join(folder, "url")
    home = os.path.join(folder, "home")
    camera = subprocess.Popen(
        [os.path.join(binaries, "camsim"), "--listen", "127.0.0.1:0", "--port-file", port_file, "--photos", "1", "--photo-size", "60KiB",
         "--shoot", str(100 * SECONDS), "--every", f"{EVERY}ms"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(port_file):
        time.sleep(0.01)
    with open(port_file) as file:
        address = f"127.0.0.1:{file.read().strip()}"
    words = [os.path.join(binaries, "tetherline"), "run", "--since", "all", "--camera", address, "--event", "Bench", "--destination",
             f"file://{folder}/desk", "--json"]
    if with_page:
        words += ["--hud", "127.0.0.1:0", "--hud-file", url_file]
    said = open(os.path.join(folder, "said"), "wb")
    bridge = subprocess.Popen(words, stdout=said, stderr=said, env={**os.environ, "TETHERLINE_HOME": home})
    browsers = []
    if with_page:
        while not os.path.exists(url_file):
            time.sleep(0.01)
        with open(url_file) as file:
            base, token = file.read().strip().split("/#token=")
        browsers = [Browser(base, token) for _ in range(BROWSERS)]
        for browser in browsers:
            browser.start()
    time.sleep(2)
    before = spent(bridge.pid, lambda name: name.startswith(THREADS))
    began = time.monotonic()
    time.sleep(SECONDS)
    page = spent(bridge.pid, lambda name: name.startswith(THREADS)) - before
    took = time.monotonic() - began
    bridge.send_signal(signal.SIGINT)
    bridge.wait(60)
    camera.kill()
    camera.wait()
    with open(os.path.join(folder, "said")) as file:
        staged = sum('"event":"staged"' in line for line in file)
    return page / took, staged / (took + 2), sum(browser.pictures for browser in browsers)


def measure(binaries, rounds):
    shares, plain, seen = [], [], []
    for _ in range(max(1, min(rounds, 5))):
        for with_page in (False, True):
            folder = tempfile.mkdtemp(prefix="bench-hud-")
            share, pace, pictures = run(folder, binaries, with_page)
            shutil.rmtree(folder, ignore_errors=True)
            if with_page:
                shares.append(share)
                seen.append(pace)
                print(f"  with a page: {pace:.1f} photos a second, the page {100 * share:.1f} % of a processor, {pictures} pictures shown")
            else:
                plain.append(pace)
                print(f"  without: {pace:.1f} photos a second")
    print(f"page: {100 * statistics.median(shares):.1f} % of a processor; photos a second {statistics.median(seen):.1f} with it, "
          f"{statistics.median(plain):.1f} without")
