"""The door in a browser that keeps no cookies, for tools/pages.py: the guest reads why the right PIN does not let in."""
import http.client
import http.server
import threading

PIN = "24680"
ENGLISH, GERMAN = "This browser does not keep cookies for this page", "Dieser Browser behält für diese Seite keine Cookies"


class Forgetful(http.server.BaseHTTPRequestHandler):
    """Between a browser and the gallery: no cookie gets through, as where a browser refuses them."""

    protocol_version = "HTTP/1.1"

    def pass_on(self):
        line = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=60)
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            line.request(self.command, self.path, body or None, dict(self.headers.items()))
            answer = line.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("set-cookie", "connection", "transfer-encoding", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        finally:
            line.close()

    do_GET = do_POST = pass_on

    def log_message(self, *words):
        pass


class Between(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behind):
        super().__init__(("127.0.0.1", 0), Forgetful)
        self.behind = behind
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_port}"


class Door:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Behind a PIN", "pin": PIN})
        pages.upload(1, self.event)
        self.photo = self.server.call("GET", f"/events/{self.event['id']}/photos")["photos"][0]["id"]
        self.address = f"/e/{self.event['slug']}"
        self.entry = self.address + self.event["entryUrl"].split(self.event["slug"])[1]

    def told(self, page, words, way):
        alert = page.get_by_role("alert")
        alert.wait_for()
        self.expect(words in alert.inner_text(), f"{way}: the door says {alert.inner_text()!r}")

    def without_cookies(self, base, scripts):
        page = self.pages.page(scripts=scripts)
        page.goto(base + self.address)
        self.expect(page.get_by_role("alert").count() == 0, "the door speaks of cookies before it has given one")
        page.fill("[name=pin]", PIN)
        page.click("button.main")
        self.told(page, ENGLISH, "after the right PIN")
        page.get_by_role("link", name="Deutsch").click()
        page.wait_for_url("**lang=de*")
        self.told(page, GERMAN, "the same in German")
        if scripts:
            self.pages.shot(page, "door-no-cookies")
            self.pages.axe(page, "the door in a browser that keeps no cookies")
        page.goto(base + self.entry)
        self.told(page, ENGLISH, "after the QR code")
        self.expect("k=" not in page.url, f"the key of the QR code stays in the address: {page.url}")
        page.goto(base + self.address)
        self.expect(page.get_by_role("alert").count() == 0, "the door's own address speaks of cookies")
        page.context.close()

    def with_cookies(self):
        """Any other browser notices nothing: it comes to the address itself, and to the photo that the address named."""
        base = self.pages.base
        for way, rest in (("QR code", ""), ("QR code of a photo", f"#{self.photo}")):
            page = self.pages.page()
            page.goto(f"{base}{self.entry}{rest}", wait_until="load")
            page.locator("#photos").wait_for()
            self.expect(page.url == f"{base}{self.address}{rest}", f"the {way} leads to {page.url}")
            if rest:
                page.locator("dialog.box[open]").wait_for()
            page.context.close()
        page = self.pages.page()
        page.goto(f"{base}{self.address}/show?seconds=12")
        # The pass is the first cookie that it brings.
        page.context.clear_cookies()
        page.fill("[name=pin]", PIN)
        page.click("button.main")
        page.locator("#screen").wait_for()
        self.expect(page.url == f"{base}{self.address}/show?seconds=12", f"the PIN leads to {page.url}")
        page.context.close()

    def look(self):
        between = Between(self.server.port)
        try:
            for scripts in (True, False):
                self.without_cookies(between.base, scripts)
        finally:
            between.shutdown()
            between.server_close()
        self.with_cookies()
        self.pages.quiet("the door in a browser that keeps no cookies")
