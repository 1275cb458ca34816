"""tools/bench first: a guest's first look at the gallery over a thin link, in Chromium with an empty cache. Needs root: the guest and the
gallery are network namespaces of their own (tools/badnet.py).

1.6 Mbit/s to the guest, who waits 150 ms for a first answer, as on a phone with a weak signal. What is told for http and for
https, which the gallery answers itself: when the page shows its first words, when a blur of each photo that is seen, and when the
photos; and how many bytes came until then.
"""
import base64
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import badnet
import bench_gallery

RATE, BURST, DELAY = "1600kbit", "3kb", 150
PORT = 8443
PHONE = (390, 844)
PHOTOS = 24
# Layout is asked of the browser, not of a script of the page, whose policy lets none in.
LOOK = """() => {
  const first = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  const seen = [...document.querySelectorAll('.wall img')].filter((image) => image.getBoundingClientRect().top < innerHeight);
  if (!first || !seen.length || !seen.every((image) => image.complete && image.naturalWidth)) return null;
  const parts = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const photos = parts.filter((part) => seen.some((image) => image.currentSrc === part.name));
  const last = Math.max(...photos.map((part) => part.responseEnd));
  return {
    first, photos: last, seen: seen.length,
    began: performance.timeOrigin,
    places: seen.map((image) => image.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, Math.min(height, innerHeight - y)]),
    all: parts.filter((part) => part.responseEnd <= last).reduce((sum, part) => sum + part.transferSize, 0),
    bytes: parts.filter((part) => part.responseEnd <= first).reduce((sum, part) => sum + part.transferSize, 0),
    parts: parts.filter((part) => part.responseEnd <= first).map((part) => part.name.split('/').pop().split('?')[0]),
  };
}"""


def photos(server, folder):
    """Pictures with as much detail as photos have, through the whole of the gallery."""
    path = os.path.join(folder, "picture.jpg")
    for number in range(PHOTOS):
        size = ("1200x800", "800x1200")[number % 3 == 1]
        subprocess.run(["convert", "-size", size, "-seed", str(number), "plasma:", "-quality", "85", path], check=True)
        with open(path, "rb") as file:
            bench_gallery.put(server, file.read())
    until = time.monotonic() + 60
    while server.call("GET", f"/events/{server.event['id']}")["counts"]["photos"] < PHOTOS:
        if time.monotonic() > until:
            raise TimeoutError("uploads do not become photos")
        time.sleep(0.05)


def serve(server, folder, is_tls):
    """Once more, at the address that the guest can reach."""
    server.stop()
    words = [bench_gallery.GALLERY, "serve", "--listen", f"{badnet.STORE}:{PORT}", "--data", server.data, "--port-file", f"{folder}/ready"]
    if is_tls:
        words += ["--tls-cert", f"{folder}/cert.pem", "--tls-key", f"{folder}/key.pem"]
    if os.path.exists(f"{folder}/ready"):
        os.remove(f"{folder}/ready")
    server.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    while not os.path.exists(f"{folder}/ready"):
        if server.process.poll() is not None:
            sys.exit("bench: the gallery does not start")
        time.sleep(0.01)


def fingerprint(certificate):
    """Of its key, by which the browser takes it at once. To overlook an error it would connect a second time."""
    key = subprocess.run(["openssl", "x509", "-in", certificate, "-pubkey", "-noout"], check=True, capture_output=True).stdout
    bare = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=key, check=True, capture_output=True).stdout
    return base64.b64encode(hashlib.sha256(bare).digest()).decode()


class Frames:
    """What the browser draws, with the time of each frame."""

    def __init__(self, page):
        self.frames = []
        self.session = page.context.new_cdp_session(page)
        self.session.on("Page.screencastFrame", self.keep)
        self.session.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})

    def keep(self, frame):
        self.frames.append((1000 * frame["metadata"]["timestamp"], base64.b64decode(frame["data"]), frame["metadata"]["deviceWidth"]))
        self.session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    def first_with(self, places):
        """When each of these places had more than one colour, in milliseconds since 1970."""
        for moment, picture, width in self.frames:
            if all(self.is_drawn(picture, width, place) for place in places):
                return moment
        raise ValueError(f"none of {len(self.frames)} frames shows all photos")

    def is_drawn(self, picture, width, place):
        scale = int.from_bytes(picture[16:20], "big") / width
        # Its edge may be beside another one's, and words may stand on it.
        x, y, wide, high = (round(scale * value) for value in (place[0] + place[2] / 8, place[1] + place[3] / 8, place[2] * 3 / 4, place[3] / 2))
        words = ["convert", "png:-", "-crop", f"{wide}x{max(1, high)}+{x}+{y}", "-resize", "4x4!", "-format", "%[fx:standard_deviation]", "info:"]
        return float(subprocess.run(words, input=picture, check=True, capture_output=True).stdout) > 0.005


def look(address, rounds, key):
    """What a browser that has never been here sees, so many times."""
    from playwright.sync_api import sync_playwright
    told = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", f"--ignore-certificate-errors-spki-list={key}"])
        for _ in range(rounds):
            context = browser.new_context(
                viewport={"width": PHONE[0], "height": PHONE[1]}, device_scale_factor=2, is_mobile=True, has_touch=True)
            page = context.new_page()
            frames = Frames(page)
            page.goto(address, wait_until="load")
            until = time.monotonic() + 60
            while not (seen := page.evaluate(LOOK)):
                if time.monotonic() > until:
                    raise TimeoutError("the photos do not come")
                time.sleep(0.1)
            # The last frame may be on its way.
            page.wait_for_timeout(500)
            seen["blurs"] = frames.first_with(seen["places"]) - seen["began"]
            told.append(seen)
            context.close()
        browser.close()
    return told


def middle(told, key):
    values = sorted(one[key] for one in told)
    return f"{statistics.median(values):,.0f} ({values[0]:,.0f} … {values[-1]:,.0f})"


def run(rounds=5):
    os.makedirs(bench_gallery.FOLDER, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="first-", dir=bench_gallery.FOLDER)
    with badnet.Network("air0") as network:
        server = network.store.inside(lambda: bench_gallery.Server(folder))
        try:
            network.store.inside(lambda: photos(server, folder))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                            "-subj", f"/CN={badnet.STORE}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
                           check=True, stderr=subprocess.DEVNULL)  # fmt: skip
            network.bad(delay=DELAY)
            network.store.sh("tc", "qdisc", "add", "dev", "air0", "root", "tbf", "rate", RATE, "burst", BURST, "latency", "400ms")
            for is_tls in (False, True):
                network.store.inside(lambda: serve(server, folder, is_tls))
                scheme = "https" if is_tls else "http"
                address = f"{scheme}://{badnet.STORE}:{PORT}/e/{server.event['slug']}"
                told = network.desk.inside(lambda: look(address, max(5, rounds), fingerprint(f"{folder}/cert.pem")))
                print(f"bench: {scheme}: the first words after {middle(told, 'first')} ms, of {middle(told, 'bytes')} bytes "
                      f"({', '.join(told[0]['parts'])}); blurs of the photos that are seen after {middle(told, 'blurs')} ms; all {told[0]['seen']} photos that are seen after {middle(told, 'photos')} ms, "
                      f"of {middle(told, 'all')} bytes", flush=True)
        finally:
            server.stop()
            shutil.rmtree(folder)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
