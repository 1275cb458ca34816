#!/usr/bin/env python3
"""Looks at the bridge's page with a real browser, headless Chromium: what an operator sees and does.

    tools/hud.py [--shots FOLDER] [--only PART…]     screenshots at the sizes of a phone and a desk go there, to be looked at

Each part runs a camera in software, a bridge with its page, and a gallery of its own, and fails with a sentence when the page does not do
what it should, or writes anything to the browser's console.
"""
import argparse
import http.client
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import accessibility
import bench_gallery as parts
import proving

PHONE, DESK = (390, 844), (1280, 800)
CAMSIM = os.path.join(proving.BIN, "camsim")
PARTS = ["shooting", "gone", "uplink", "retry", "alarm", "doors", "names", "keys", "marks", "runs", "crowd"]
# Of the network that stands still: what an operator would not forgive.
soon = 1.0
# How many times as long is waited, where other programs run beside it.
patience = 1


class Wrong(Exception):
    pass


def expect(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def until(holds, what, limit=40.0):
    """How long it took."""
    began = time.monotonic()
    limit *= patience
    while not holds():
        expect(time.monotonic() < began + limit, f"{what}: not within {limit} s")
        time.sleep(0.02)
    return time.monotonic() - began


class Gallery(parts.Server):
    more = ()

    def start(self, port=0):
        if os.path.exists(self.port_file):
            os.remove(self.port_file)
        words = [parts.GALLERY, "serve", "--listen", f"127.0.0.1:{port}", "--data", self.data, "--port-file", self.port_file, *self.more]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        until(lambda: os.path.exists(self.port_file) and os.path.getsize(self.port_file) > 0, "the gallery starts")
        with open(self.port_file) as file:
            self.port = int(file.read())


class Rig:
    """A camera, a bridge with its page, and where its photos go."""

    def __init__(self, browser, shots):
        self.browser, self.shots = browser, shots
        self.folder = tempfile.mkdtemp(prefix="hud-")
        self.home = os.path.join(self.folder, "home")
        self.file = os.path.join(self.folder, "url")
        self.environment = {**os.environ, "TETHERLINE_HOME": self.home}
        self.running = []
        self.gallery = None
        self.console = []
        self.pages = []

    def end(self):
        for process in reversed(self.running):
            process.kill()
            process.wait()
        if self.gallery:
            self.gallery.process.kill()
            self.gallery.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # What runs

    def tetherline(self, *words):
        done = subprocess.run([proving.TETHERLINE, *words], env=self.environment, capture_output=True, text=True)
        expect(done.returncode == 0, f"tetherline {' '.join(words)}: {done.stderr}")
        return done.stdout

    def serve_gallery(self, *more):
        Gallery.more = more
        self.gallery = Gallery(self.folder)
        url = f"http://127.0.0.1:{self.gallery.port}"
        self.tetherline("login", url, "--email", "a@example.org", "--password-file", os.path.join(self.folder, "password"))
        self.tetherline("consent", "--give")
        return ["--server", url, "--event", "Bench"]

    def camera(self, *words):
        port_file = os.path.join(self.folder, f"camera-{len(self.running)}")
        self.running.append(subprocess.Popen(
            [CAMSIM, "--listen", "127.0.0.1:0", "--port-file", port_file, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        until(lambda: os.path.exists(port_file) and os.path.getsize(port_file) > 0, "the camera starts")
        with open(port_file) as file:
            return ["--camera", f"127.0.0.1:{file.read().strip()}"]

    def bridge(self, *words, hud="127.0.0.1:0"):
        if os.path.exists(self.file):
            os.remove(self.file)
        self.log = open(os.path.join(self.folder, "bridge.log"), "ab")
        process = subprocess.Popen(
            [proving.TETHERLINE, "run", "--since", "all", "--hud", hud, "--hud-file", self.file, *words], env=self.environment,
            stdout=self.log, stderr=self.log)
        self.running.append(process)
        until(lambda: os.path.exists(self.file) or process.poll() is not None, "the page is served")
        with open(os.path.join(self.folder, "bridge.log")) as file:
            expect(process.poll() is None, f"the bridge has ended: {file.read()[-600:]}")
        expect(stat.S_IMODE(os.stat(self.file).st_mode) == 0o600, "others may read the file with the token")
        with open(self.file) as file:
            self.url = file.read().strip()
        self.base, self.token = self.url.split("/#token=")
        self.port = int(self.base.split(":")[-1])
        return process

    def said(self):
        with open(os.path.join(self.folder, "bridge.log")) as file:
            return file.read()

    # The browser

    def page(self, size=PHONE, dark=False, enters=True, script=None, **options):
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light", has_touch=size == PHONE,
            is_mobile=size == PHONE, **options)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.set_default_timeout(30_000 * patience)
        page.on("console", lambda message: self.console.append(f"{message.type}: {message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self.console.append(f"error: {error}"))
        unanswered = {}
        page.on("request", lambda request: unanswered.update({request: time.monotonic()}))
        for end in ("requestfinished", "requestfailed"):
            page.on(end, lambda request: unanswered.pop(request, None))
        self.pages.append((page, unanswered))
        page.goto(self.url if enters else self.base, wait_until="load")
        if enters:
            page.locator("#desk:not([hidden])").wait_for()
        return page

    def holds(self, page, script, limit=40.0):
        return until(lambda: page.evaluate(f"() => Boolean({script})"), script, limit)

    def press(self, page, selector):
        """By the mouse, once it stays where it is: while the headline changes, buttons move, and a press that begins on one and ends
        beside it is none."""
        target = page.locator(selector).first
        seen = []

        def stays():
            seen.append((time.monotonic(), target.bounding_box()))
            # The bridge tells news every second at the most.
            since = next((at for at, box in reversed(seen) if box != seen[-1][1]), seen[0][0])
            return seen[-1][0] - since > 1.5

        until(stays, f"{selector} stays where it is")
        target.click()

    def shot(self, page, name, whole=False):
        if self.shots:
            page.screenshot(path=os.path.join(self.shots, f"{name}.png"), full_page=whole)

    # What a person would see where a part has failed: the dialogs that are open, what is said, the photos, and what is still asked for.
    seen = """() => ({
        dialogs: [...document.querySelectorAll('dialog[open]')].map((dialog) => dialog.innerText.slice(0, 600)),
        headline: document.getElementById('headline')?.innerText, notice: document.getElementById('notice')?.innerText,
        live: document.getElementById('live')?.innerText,
        photos: [...document.querySelectorAll('#photos li')].slice(0, 4).map((tile) => tile.dataset.id + ' ' + tile.dataset.standing),
    })"""

    def sight(self):
        for page, unanswered in self.pages:
            now = time.monotonic()
            asked = [f"{request.method} {request.url.split('/', 3)[-1]} for {now - since:.1f} s" for request, since in unanswered.items()]
            try:
                yield f"{page.evaluate(self.seen)}; unanswered: {asked}"
            except Exception as error:
                yield f"a page that tells nothing: {error}"

    def quiet(self, what):
        expect(not self.console, f"{what}: the browser's console says {self.console[:3]}")

    def axe(self, page, what):
        """No finding of axe-core."""
        found = accessibility.findings(page)
        expect(not found, f"{what}: axe-core finds {found}")

    # Requests without a browser

    def ask(self, method, path, headers=None, body=None, host=None, token=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        sent = {"Host": host or f"127.0.0.1:{self.port}"}
        if token:
            sent["Authorization"] = f"Bearer {self.token}"
        sent.update(headers or {})
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text, dict((name.lower(), value) for name, value in answer.getheaders())

    # What is looked at

    def shooting(self):
        """Photos appear while they are shot, and get their pictures; their way is told."""
        words = self.serve_gallery() + self.camera("--photos", "6", "--shoot", "14", "--every", "600ms", "--photo-size", "1MiB")
        # The camera says nothing until the page is seen, however slow the machine is.
        camera = self.running[-1]
        camera.send_signal(signal.SIGSTOP)
        self.bridge(*words)
        page = self.page()
        expect(page.locator("#photos li").count() == 0, "there are photos before the camera has answered")
        camera.send_signal(signal.SIGCONT)
        expect(self.token not in page.url, "the token stays in the address")
        self.holds(page, "document.querySelectorAll('#photos li').length >= 1")
        few = page.locator("#photos li").count()
        self.holds(page, f"document.querySelectorAll('#photos li').length > {few}")
        desk = self.page(DESK, dark=True)
        self.holds(page, "document.querySelectorAll('#photos li').length === 20")
        self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length === 20")
        self.holds(page, "document.getElementById('headline-title').textContent === 'Everything is delivered'")
        expect(page.locator("#counts [data-group=completed] dd").inner_text() == "20", "the count does not count")
        self.holds(page, "[...document.querySelectorAll('#photos .frame img')].some((image) => image.naturalWidth > 200)")
        expect(page.locator("#event").inner_text() == "Bench", "the header does not name the event")
        expect(page.locator(".top .lock").inner_text() == "Locked while this bridge runs", "the header does not say that the event is locked")
        self.axe(page, "the page on a phone")
        self.holds(page, "document.querySelectorAll('#photos .frame img').length >= 12")
        self.shot(page, "hud-phone")
        self.shot(page, "hud-phone-whole", whole=True)
        page.locator("#photos li button").first.click()
        self.holds(page, "document.querySelectorAll('#photo .stages li').length >= 4")
        self.holds(page, "document.querySelector('#photo-picture img')?.naturalWidth > 400")
        expect("destination has it" in page.locator("#photo .sentence").inner_text(), "its way does not say that it has arrived")
        self.axe(page, "a photo")
        self.shot(page, "hud-photo-phone")
        page.locator("#photo-close").click()
        # Half a second after the last key, and not with each.
        asked = []
        page.on("request", lambda request: asked.append(request.url) if "/api/photos?" in request.url else None)
        name = page.locator("#photos li .name bdi").nth(7).inner_text()
        page.locator("#search").press_sequentially(name, delay=40)
        self.holds(page, "document.querySelectorAll('#photos li').length === 1")
        expect(len(asked) == 1, f"a search of one word asked {len(asked)} times")
        page.locator("#search").fill("")
        self.holds(page, "document.querySelectorAll('#photos li').length === 20")
        self.holds(desk, "document.querySelectorAll('#photos li').length === 20")
        self.axe(desk, "the page at a desk, dark")
        self.shot(desk, "hud-desk-dark")
        self.quiet("shooting")

    def gone(self):
        """Photos whose local files have gone are shown as the gallery has them; after a restart from what is kept, without a request."""
        words = self.serve_gallery() + self.camera("--photos", "50", "--photo-size", "120KiB") + ["--retention", "delete"]
        process = self.bridge(*words)
        page = self.page()
        self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length === 50", 120)
        until(lambda: all(not photo["isHere"] for photo in self.latest()), "delivered files leave the spool")
        page.context.close()
        page = self.page()
        self.scroll(page)
        found = self.found()
        expect(found["network"] == 50 and found["failed"] == 0, f"the gallery's pictures were fetched so: {found}")
        photo = self.latest()[0]
        path = f"/pictures/{photo['id']}/{photo['picture']}/tile"
        status, _, head = self.ask("GET", path)
        expect(status == 200 and head["cache-control"] == "private, no-cache", f"a picture that may be taken back is answered {status}, {head}")
        expect(self.ask("GET", path, {"If-None-Match": head["etag"]})[0] == 304, "a picture that is the same is sent again")
        page.context.close()
        process.send_signal(signal.SIGINT)
        expect(process.wait(30) == 0, "the bridge does not end in order")
        self.gallery.process.kill()
        self.gallery.process.wait()
        self.bridge(*words)
        page = self.page()
        self.holds(page, "document.querySelectorAll('#photos li').length === 50")
        self.scroll(page)
        found = self.found()
        expect(found["network"] == 0 and found["failed"] == 0 and found["disk"] == 50, f"after a restart pictures were had so: {found}")
        self.shot(page, "hud-kept-phone")
        page.locator("#photos li button").first.click()
        self.holds(page, "document.querySelector('#photo-picture img')?.naturalWidth > 200")
        self.quiet("pictures of a gallery")

    def latest(self):
        return json.loads(self.ask("GET", "/api/now")[1])["photos"]

    def scroll(self, page):
        """Down to the last tile, until each has its picture."""
        for number in range(0, 50, 4):
            page.locator("#photos li").nth(number).scroll_into_view_if_needed()
            self.holds(page, f"document.querySelectorAll('#photos li')[{number}].querySelector('.frame img')?.naturalWidth > 200")
        page.locator("#photos li").last.scroll_into_view_if_needed()
        self.holds(page, "[...document.querySelectorAll('#photos li')].every((tile) => tile.querySelector('.frame img')?.naturalWidth > 200)")

    def found(self):
        """How many pictures were had from where."""
        lines = self.ask("GET", "/metrics")[1].decode().splitlines()
        counts = [line for line in lines if line.startswith("tetherline_image_cache_requests_total{")]
        return {line.split('"')[1]: int(line.split()[-1]) for line in counts}

    def failed(self):
        return json.loads(self.ask("GET", "/api/now")[1])["status"]["jobs"]["failed"]

    def alarm(self):
        """A failure sounds and shakes where that was wished, and nowhere else."""
        words = self.serve_gallery() + self.camera("--photos", "2", "--shoot", "400", "--every", "250ms", "--photo-size", "400KiB")
        self.bridge(*words)
        counted = """
            window.sounds = window.shakes = window.early = 0;
            const count = (name) => { window[name] += 1; if (!navigator.userActivation.hasBeenActive) window.early += 1; };
            const Context = window.AudioContext;
            window.AudioContext = class extends Context { createOscillator() { count('sounds'); return super.createOscillator(); } };
            Navigator.prototype.vibrate = () => { count('shakes'); return true; };
            """
        silent, loud = (self.page(script=counted) for _ in range(2))
        for page in (silent, loud):
            self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length >= 2")
        for name in ("sound", "vibration"):
            loud.locator(f"#{name}").check()
        expect(loud.evaluate("[sounds, shakes]") == [3, 1], "switched on, it does not show how it is")
        self.gallery.process.kill()
        self.gallery.process.wait()
        Gallery.more = ("--upload-limit", "100000")
        self.gallery.start(self.gallery.port)
        for page in (silent, loud):
            self.holds(page, "Number(document.querySelector('#counts [data-group=failed] dd').textContent) > 0", 60)
        sounds, shakes = loud.evaluate("[sounds, shakes]")
        expect(sounds > 3 and shakes > 1, f"a failure was heard {sounds - 3} times and felt {shakes - 1} times")
        expect(silent.evaluate("[sounds, shakes]") == [0, 0], "a page that was to be silent is not")
        # Opened anew a page is silent until it is touched; it says so, and the browser has nothing to complain about.
        loud.reload()
        loud.locator("#alarm-hint").wait_for()
        expect(loud.locator("#sound").is_checked(), "the wish does not outlive the page")
        failed = self.failed()
        until(lambda: self.failed() > failed + 2, "more photos fail")
        loud.locator("#headline-title").click()
        loud.locator("#alarm-hint").wait_for(state="hidden")
        self.holds(loud, "sounds > 0 && shakes > 0")
        expect(loud.evaluate("early") == 0, "a page that may not sound yet tries to")
        Gallery.more = ()
        self.quiet("alarms")

    def uplink(self):
        """A gallery that goes away shows soon, and so does its return; the page itself goes on."""
        words = self.serve_gallery() + self.camera("--photos", "2", "--shoot", "2000", "--every", "150ms", "--photo-size", "300KiB")
        self.bridge(*words)
        page = self.page()
        self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length >= 3")
        for _ in range(3):
            self.gallery.process.kill()
            self.gallery.process.wait()
            took = self.holds(page, "document.getElementById('headline').dataset.tone === 'warning'")
            if took < soon:
                break
            # Another program may have had the processors for a moment; three of three would be us.
            self.gallery.start(self.gallery.port)
            self.holds(page, "document.getElementById('headline').dataset.tone === 'good'", 60)
        expect(took < soon, f"a dead uplink showed after {took:.2f} s, three times")
        # This device's own network is something else: the bridge is heard all the same.
        page.evaluate("dispatchEvent(new Event('offline'))")
        expect(page.locator("#live").inner_text() == "Live", "the page takes a dead uplink for a dead bridge")
        before = page.evaluate("Math.max(...[...document.querySelectorAll('#photos li')].map((tile) => Number(tile.dataset.id)))")
        self.holds(page, f"[...document.querySelectorAll('#photos li')].some((tile) => Number(tile.dataset.id) > {before} + 3)")
        self.shot(page, "hud-uplink-phone")
        self.axe(page, "the page without an uplink")
        self.gallery.start(self.gallery.port)
        back = self.holds(page, "document.getElementById('headline').dataset.tone === 'good'", 60)
        print(f"hud: uplink: shown after {took:.2f} s, and its return after {back:.1f} s")
        self.quiet("an uplink that was cut")

    def retry(self):
        """What failed is shown with its reason and begun again by one press; a delivery is cancelled after one more question."""
        words = self.serve_gallery("--upload-limit", "100000") + self.camera("--photos", "3", "--photo-size", "400KiB")
        self.bridge(*words)
        page = self.page(dark=True)
        self.holds(page, "document.querySelectorAll('#photos [data-standing=failed]').length === 3", 40)
        expect(page.locator("#headline").get_attribute("data-tone") == "bad", "failed photos do not turn the page red")
        self.shot(page, "hud-failed-phone")
        self.axe(page, "the page with failures, dark")
        page.locator("[data-show=failed]").click()
        self.holds(page, "document.querySelectorAll('#photos li').length === 3")
        Gallery.more = ()
        self.gallery.stop()
        self.gallery.start(self.gallery.port)
        self.press(page, "#pause")
        self.holds(page, "document.getElementById('pause').textContent === 'Resume deliveries'")
        self.press(page, "#retry")
        self.holds(page, "document.querySelectorAll('#photos li').length === 0")
        self.press(page, "[data-show=latest]")
        self.holds(page, "document.querySelectorAll('#photos li').length === 3")
        self.press(page, "#photos li button")
        page.locator("#photo[open]").wait_for()
        cancel = page.get_by_role("button", name="Cancel")
        cancel.click()
        page.locator("#question[open]").wait_for()
        self.shot(page, "hud-question-phone")
        page.get_by_role("button", name="Keep it").click()
        expect(json.loads(self.ask("GET", "/api/now")[1])["status"]["cancelled"] == 0, "a delivery was cancelled that was to be kept")
        cancel.click()
        page.locator("#question-yes").click()
        self.holds(page, "document.querySelector('#photo .sentence')?.textContent.includes('cancelled')")
        page.keyboard.press("Escape")
        page.locator("#pause").click()
        self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length === 2", 40)
        status, text, _ = self.ask("POST", "/api/cancel", body={"jobs": [1]})
        expect(status == 409, f"cancelling without a confirmation was answered {status}: {text!r}")
        self.quiet("retrying")

    def doors(self):
        """Without the token there is nothing; strangers' pages and strangers' names are refused."""
        self.bridge(*self.camera("--photos", "1"), "--event", "Wedding", "--destination", f"file://{self.folder}/desk")
        look = ["/api/now", "/api/photos", "/api/photos/1", "/api/events", "/pictures/1/0123456789abcdef/tile", "/metrics"]
        act = ["/api/retry", "/api/cancel", "/api/pause"]
        for path in look:
            expect(self.ask("GET", path, token=False)[0] == 401, f"{path} needs no token")
            bad = {"Authorization": "Bearer " + "A" * 43}
            expect(self.ask("GET", path, bad, token=False)[0] == 401, f"{path} takes any token")
            expect(self.ask("GET", path, {"Cookie": f"hud-{self.port}={self.token}"}, token=False)[0] == 401, "the token is the cookie")
        own = f"http://127.0.0.1:{self.port}"
        for path in act:
            expect(self.ask("POST", path, {"Origin": own}, {}, token=False)[0] == 401, f"{path} needs no token")
        for path in look + act + ["/", "/session"]:
            method = "POST" if path in act else "GET"
            for host in ("evil.example", f"evil.example:{self.port}", f"127.0.0.1.evil.example:{self.port}"):
                status = self.ask(method, path, {"Origin": f"http://{host}"}, {} if method == "POST" else None, host)[0]
                expect(status == 403, f"{path} is answered {status} under the name {host}")
        for origin in ("http://evil.example", f"https://127.0.0.1:{self.port}x", "null", f"http://127.0.0.1:{self.port + 1}"):
            for path in act + ["/session"]:
                status = self.ask("POST", path, {"Origin": origin}, {"token": self.token, "paused": True})[0]
                expect(status == 403, f"{path} is answered {status} to a page of {origin}")
        for site in ("cross-site", "same-site"):
            expect(self.ask("GET", "/api/now", {"Sec-Fetch-Site": site})[0] == 403, f"a page of another site reads what is asked for ({site})")
        cookie = self.enter()
        expect(self.ask("GET", "/api/now", {"Cookie": cookie}, token=False)[0] == 200, "the cookie opens nothing")
        status = self.ask("POST", "/api/pause", {"Cookie": cookie}, {"paused": True}, token=False)[0]
        expect(status == 403, f"a change that says no origin is answered {status}")
        page = self.page(enters=False)
        page.locator("#gate:not([hidden])").wait_for()
        expect(page.locator("#desk").is_hidden(), "without the token the page shows something")
        self.axe(page, "the gate")
        self.shot(page, "hud-gate-phone")
        page.locator("#token").fill(self.url)
        page.keyboard.press("Enter")
        page.locator("#desk:not([hidden])").wait_for()
        self.quiet("the gate")
        policy = self.ask("GET", "/", token=False)[2]["content-security-policy"]
        expect("unsafe" not in policy and "default-src 'none'" in policy, f"the policy is '{policy}'")
        self.foreign(page)
        self.plain()

    def enter(self):
        headers = {"Origin": f"http://127.0.0.1:{self.port}"}
        status, _, answer = self.ask("POST", "/session", headers, {"token": "x"}, token=False)
        expect(status == 401, f"a wrong token is answered {status}")
        status, _, answer = self.ask("POST", "/session", headers, {"token": self.token}, token=False)
        cookie = answer["set-cookie"]
        expect(status == 204 and "HttpOnly" in cookie and "SameSite=Strict" in cookie, f"the cookie is '{cookie}'")
        return cookie.split(";")[0]

    def foreign(self, page):
        """Another site's page in the same browser, which has the cookie."""
        spoken = page.context.new_page()
        spoken.route("http://elsewhere.example/**", lambda route: route.fulfill(content_type="text/html", body="<h1>Elsewhere</h1>"))
        spoken.goto("http://elsewhere.example/")
        asked = "(path, options) => fetch(path, {credentials: 'include', ...options}).then((answer) => answer.type + answer.status, () => 'no')"
        base = f"http://127.0.0.1:{self.port}"
        read = spoken.evaluate(f"({asked})('{base}/api/now')")
        expect(read == "no", f"a stranger's page reads the status: {read}")
        spoken.evaluate(f"({asked})('{base}/api/pause', {{method: 'POST', mode: 'no-cors', body: '{{\"paused\": true}}'}})")
        expect(not json.loads(self.ask("GET", "/api/now")[1])["status"]["paused"], "a stranger's page has paused the bridge")
        spoken.context.close()

    def plain(self):
        """Over plain http in a network the page shows, and changes nothing until that is allowed."""
        words = ["--event", "Wedding", "--once", "--idle", "60s"]
        for more, status in (((), 403), (("--hud-control",), 200)):
            for process in self.running[1:]:
                process.send_signal(signal.SIGINT)
                process.wait(20)
            self.bridge(*words, *more, hud="0.0.0.0:0")
            # The bridge warns once the file with the address is written.
            until(lambda: "others in the network can read along" in self.said(), "a plain page in a network is warned of")
            said = self.said()
            expect(self.token not in said, "the token stands in the log")
            expect(self.ask("GET", "/api/now")[0] == 200, "a page in a network cannot be looked at")
            found = self.ask("POST", "/api/pause", {}, {"paused": False})[0]
            expect(found == status, f"with {more} a change over plain http is answered {found}")
            page = self.page()
            expect(page.locator("#deeds").is_visible() == (status == 200), f"with {more} the page offers what it may not do, or does not what it may")
            page.context.close()

    def crowd(self):
        """Readers that do not read, and requests that never end, slow nothing down; an operator's page is served beside them."""
        desk = os.path.join(self.folder, "desk")
        words = [*self.camera("--photos", "1", "--shoot", "120", "--every", "50ms", "--photo-size", "200KiB"), "--event", "Wedding"]
        self.bridge(*words, "--destination", f"file://{desk}")
        held = []
        for number in range(36):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            one.connect(("127.0.0.1", self.port))
            head = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            one.sendall((head + (f"Authorization: Bearer {self.token}\r\n\r\n" if number < 20 else "X-Slow: ")).encode())
            held.append(one)
        page = self.page()
        began = time.monotonic()
        until(lambda: os.path.isdir(desk) and sum(name.endswith(".JPG") for _, _, names in os.walk(desk) for name in names) >= 121,
              "all photos are delivered beside a crowd")
        # 120 photos are shot within six seconds.
        expect(time.monotonic() - began < 30, f"a crowd of readers made the bridge slow: {time.monotonic() - began:.1f} s")
        self.holds(page, "document.querySelector('#counts [data-group=completed] dd').textContent === '121'")
        for one in held:
            one.close()
        self.quiet("a crowd of readers")

    def names(self):
        """A file's name on a card is text wherever it is shown."""
        card = os.path.join(self.folder, "card", "DCIM", "100APPLE")
        os.makedirs(card)
        evil = ["<img src=x onerror=alert(1)>.JPG", "a&amp;b.JPG", "\" onmouseover=\"x.JPG", "'+alert(1)+'.JPG", "ÄÖ\u202egpj.JPG"]
        for number, name in enumerate(evil):
            with open(os.path.join(card, name), "wb") as file:
                file.write(b"\xff\xd8\xff\xd9" + name.encode() + bytes([number]) * 2000)
        self.bridge(
            *self.camera("--card", os.path.dirname(os.path.dirname(card))), "--event", "<b>Ann</b> & Ben", "--destination", f"file://{self.folder}/<i>desk")
        page = self.page()
        page.on("dialog", lambda dialog: self.console.append(f"dialog: {dialog.message}"))
        self.holds(page, f"document.querySelectorAll('#photos li').length === {len(evil)}")
        expect(page.locator("#event").inner_text() == "<b>Ann</b> & Ben", "the event's name is not shown as it is")
        shown = set(page.locator("#photos .name bdi").all_inner_texts())
        expect(any("<img src=x" in name for name in shown), f"a name is not shown as it is: {shown}")
        page.locator("#photos li button").first.click()
        page.locator("#photo .stages li").first.wait_for()
        page.fill("#search", "<img") if page.locator("#photo-close").click() is None else None
        self.holds(page, "document.querySelectorAll('#photos li').length === 1")
        expect(page.locator("#desk img[src=x], #desk b:not(.troubles b), #desk i").count() == 0, "a name became markup")
        self.quiet("names")

    def keys(self):
        """All of it by keys alone, and without motion where that is wished."""
        self.bridge(*self.camera("--photos", "5"), "--event", "Wedding", "--destination", f"file://{self.folder}/desk")
        page = self.page(DESK, reduced_motion="reduce")
        self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length === 5")
        self.shot(page, "hud-desk")
        page.keyboard.press("Tab")
        expect(page.evaluate("document.activeElement.className") == "skip", "the first key does not offer to skip to the photos")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.evaluate("document.activeElement.closest('#photos li') !== null"), "keys do not reach the photos")
        page.keyboard.press("Enter")
        page.locator("#photo[open]").wait_for()
        page.locator("#photo .stages li").first.wait_for()
        self.shot(page, "hud-photo-desk")
        for _ in range(4):
            page.keyboard.press("Tab")
        expect(page.evaluate("document.activeElement === document.body || document.activeElement.closest('dialog') !== null"), "the focus left the photo")
        page.keyboard.press("Escape")
        page.locator("#photo[open]").wait_for(state="hidden")
        expect(page.evaluate("document.activeElement.closest('#photos li') !== null"), "the focus did not come back")
        expect(page.evaluate("getComputedStyle(document.getElementById('live'), '::before').animationName") == "none", "it moves")
        self.quiet("keys")

    def marks(self):
        """What is said of a photo without an uplink is kept, shown, and at the gallery when that is back."""
        words = self.serve_gallery() + self.camera("--photos", "3", "--photo-size", "200KiB")
        self.bridge(*words)
        page = self.page()
        self.holds(page, "document.querySelectorAll('#photos [data-standing=delivered]').length === 3")
        self.gallery.process.kill()
        self.gallery.process.wait()
        name = page.locator("#photos li .name bdi").first.inner_text()
        page.locator("#photos li button").first.click()
        page.locator("[data-mark=star-4]").click()
        self.holds(page, "document.querySelectorAll('.stars [aria-pressed=true]').length === 4")
        caption = "The <b>rings</b> & Zo\u00eb"
        page.locator("[data-mark=caption]").fill(caption)
        page.locator("#photo-marks form.mark button", has_text="Save").click()
        for word, text in (("tag", "altar"), ("album", "Party")):
            page.locator(f"[data-mark={word}]").fill(text)
            page.keyboard.press("Enter")
            self.holds(page, f"[...document.querySelectorAll('.members li')].some((one) => one.firstChild.data === '{text}')")
        page.locator("[data-mark=hide]").click()
        page.locator("#question[open]").wait_for()
        page.locator("#question-yes").click()
        self.holds(page, "document.querySelector('.hidden-sign')")
        self.holds(page, "document.querySelector('.sent').textContent.includes('not yet at the gallery')")
        tile = "document.querySelector('#photos li[data-hidden] .said')"
        self.holds(page, f"{tile}?.textContent === '★★★★ hidden'")
        page.keyboard.press("Escape")
        page.locator("#photo").wait_for(state="hidden")
        self.shot(page, "hud-marks-tiles")
        page.locator("#photos li button", has_text=name).click()
        self.holds(page, "document.querySelector('.sent')?.textContent")
        self.axe(page, "a photo with what is said of it")
        self.shot(page, "hud-marks-phone")
        # Another browser, and nothing but what is kept.
        desk = self.page(DESK)
        desk.locator("#photos li button", has_text=name).click()
        self.holds(desk, "document.querySelectorAll('.stars [aria-pressed=true]').length === 4")
        expect(desk.locator("[data-mark=caption]").input_value() == caption, "the caption is not kept as it was typed")
        desk.keyboard.press("Escape")
        desk.locator("#photos li button", has_text=name).click()
        self.holds(desk, "document.querySelector('.sent')?.textContent")
        desk.locator("#photo-close").focus()
        desk.keyboard.press("5")
        self.holds(desk, "document.querySelectorAll('.stars [aria-pressed=true]').length === 5")
        self.shot(desk, "hud-marks-desk")
        self.gallery.start(self.gallery.port)
        back = self.holds(desk, "document.querySelector('.sent').textContent === ''", 90)
        photos = self.gallery.call("GET", f"/events/{self.gallery.event['id']}/photos")
        photos = photos["photos"] if isinstance(photos, dict) else photos
        said = [self.gallery.call("GET", f"/photos/{photo['id']}") for photo in photos]
        marked = [one for one in said if one.get("caption")]
        expect(len(marked) == 1, f"{len(marked)} photos of {len(said)} have a caption at the gallery")
        told = {key: marked[0].get(key) for key in ("caption", "rating", "tags", "hidden")}
        expect(told == {"caption": caption, "rating": 5, "tags": ["altar"], "hidden": True}, f"the gallery has {told}")
        print(f"hud: marks: at the gallery {back:.1f} s after it was back")
        self.quiet("what is said of a photo")

    def runs(self):
        """The bridge ends: the page says so, and a new run wants its own address."""
        words = [*self.camera("--photos", "2"), "--event", "Wedding", "--destination", f"file://{self.folder}/desk"]
        process = self.bridge(*words)
        page = self.page()
        self.holds(page, "document.querySelectorAll('#photos li').length === 2")
        first, port = self.token, self.port
        process.send_signal(signal.SIGINT)
        expect(process.wait(20) == 0, "the bridge does not end in order while its page is open")
        expect(not os.path.exists(self.file), "the file with the token stays")
        self.holds(page, "document.getElementById('headline').dataset.tone === 'off'")
        self.shot(page, "hud-gone-phone")
        self.bridge(*words, hud=f"127.0.0.1:{port}")
        expect(self.token != first, "a new run has the old token")
        page.locator("#gate:not([hidden])").wait_for(timeout=30_000)
        page.locator("#token").fill(self.token)
        page.keyboard.press("Enter")
        page.locator("#desk:not([hidden])").wait_for()
        self.holds(page, "document.getElementById('headline').dataset.tone === 'good'")


def main():
    global patience, soon
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shots", metavar="FOLDER")
    parser.add_argument("--beside", action="store_true", help="other programs run beside it: wait four times as long, and hold bounds of speed ten times as wide")
    parser.add_argument("--only", nargs="*", default=PARTS)
    arguments = parser.parse_args()
    if arguments.beside:
        patience, soon = 4, 10 * soon
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        own = os.path.join(parts.TOP, ".build", "python", "bin", "python")
        if sys.executable == own or not os.access(own, os.X_OK):
            sys.exit("hud: there is no playwright here: tools/setup")
        os.execv(own, [own, *sys.argv])

    if arguments.shots:
        os.makedirs(arguments.shots, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for name in arguments.only:
            rig = Rig(browser, arguments.shots)
            began = time.monotonic()
            try:
                getattr(rig, name)()
            except Exception as error:
                for sight in rig.sight():
                    print(f"hud: {name}: {sight}", file=sys.stderr)
                sys.exit(f"hud: {name}: {error}; console: {rig.console[:3]}")
            finally:
                rig.end()
            print(f"hud: {name}: as it should be, {time.monotonic() - began:.1f} s")
        browser.close()


if __name__ == "__main__":
    main()
