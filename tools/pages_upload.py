"""Photos that a host drops on an event's page, for tools/pages.py: by mouse and keys, through a lost server and a page that is
loaded anew, and what is no photo."""
import base64
import os
import re
import signal
import subprocess

from pages_pace import slowly


UNDER = "document.querySelector('.under-way')"
TOTALS = "document.querySelector('.totals')?.textContent"

# Files are made in the page, as a drop brings them. A folder is one that only a drop can bring: its entries come in two parts.
DROP = """async ([files, folders]) => {
  const bag = new DataTransfer();
  const made = ([name, type, text]) => new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name, { type, lastModified: 1790000000000 });
  for (const file of files) bag.items.add(made(file));
  const entry = (item) => (Array.isArray(item) ? { isDirectory: false, name: item[0], file: (take) => take(made(item)) } : folder(item.name, item.inside));
  const folder = (name, inside) => ({ isDirectory: true, name, createReader() {
    const parts = [inside.slice(0, 2), inside.slice(2), []].filter((part, place) => place === 2 || part.length);
    return { readEntries: (take) => take(parts.shift().map(entry)) };
  } });
  const send = (kind) => document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: bag }));
  const own = DataTransferItem.prototype.webkitGetAsEntry;
  DataTransferItem.prototype.webkitGetAsEntry = function () {
    const name = this.getAsFile()?.name;
    return name in folders ? folder(name, folders[name]) : own.call(this);
  };
  send('dragenter');
  send('dragover');
  const isOver = document.querySelector('.adding').classList.contains('is-over');
  const isOurs = !send('drop');
  DataTransferItem.prototype.webkitGetAsEntry = own;
  return isOver && isOurs;
}"""


class Uploads:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Dropped"})
        self.made = 7000

    def picture(self, quality=82, size="900x600"):
        """A new one, as a file."""
        self.made += 1
        path = os.path.join(self.pages.folder, f"DSC_{self.made}.jpg")
        kind = "plasma:" if quality < 90 else "xc:gray"
        noise = ["+noise", "Random"] if quality >= 90 else []
        subprocess.run(["convert", "-size", size, "-seed", str(self.made), kind, *noise, "-quality", str(quality), path], check=True)
        return path

    def page(self, size=(1280, 800)):
        page = self.pages.host_page(self.event, size)
        page.locator("#choose-photos").wait_for()
        return page

    def drop(self, page, files, folders={}):
        """`folders`: what is in each, files and again folders, by the name of a file that stands for it."""
        self.expect(page.evaluate(DROP, [self.texts(files), {name: self.texts(inside) for name, inside in folders.items()}]),
                    "a drop on the page is not taken by it")

    def texts(self, inside):
        return [{"name": one["name"], "inside": self.texts(one["inside"])} if isinstance(one, dict)
                else [one[0], one[1], base64.b64encode(one[2]).decode()] for one in inside]

    def of(self, path, kind="image/jpeg"):
        with open(path, "rb") as file:
            return os.path.basename(path), kind, file.read()

    def counts(self):
        return self.server.call("GET", f"/events/{self.event['id']}")["counts"]

    def here(self, page, count, of):
        self.pages.until(lambda: (page.evaluate(f"() => {TOTALS}") or "").startswith(f"{count} of {of} photo"), f"{count} of {of} are here", 40)

    # What is looked at

    def dropped(self):
        page = self.page()
        loaded = page.evaluate("() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/upload.js'))")
        self.expect(not loaded, "what uploads is loaded before there is anything to upload")
        paths = [self.picture() for _ in range(5)]
        self.drop(page, [self.of(path) for path in paths] + [("notes.txt", "text/plain", b"words"), ("empty.jpg", "image/jpeg", b"")])
        refused = page.locator(".adding [role=alert]").first
        for words in ("“notes.txt”: this is no picture", "“empty.jpg”: there is nothing in it"):
            self.expect(words in refused.inner_text(), f"a refusal says: {refused.inner_text()}")
        self.here(page, 5, 5)
        self.expect(self.counts()["photos"] == 5, f"five files are {self.counts()}")
        self.pages.holds(page, "document.querySelectorAll('li[data-photo]').length === 5")
        self.pages.holds(page, "document.querySelector('.under-way [role=status]').textContent.startsWith('5 of 5')")
        # The same once more.
        self.drop(page, [self.of(paths[0])])
        self.here(page, 6, 6)
        self.pages.holds(page, "[...document.querySelectorAll('.uploads li')].some((item) => item.textContent.includes('Is there already.'))")
        self.expect(self.counts()["photos"] == 5, "the same bytes are two photos")
        self.pages.shot(page, "uploads-desk")
        self.pages.axe(page, "the host's page after uploads")
        self.expect(page.evaluate("() => localStorage.getItem(Object.keys(localStorage).find((key) => key.startsWith('uploads '))) === null"),
                    "finished uploads are kept as unfinished")
        self.pages.quiet("photos that are dropped")
        page.context.close()

    def folders(self):
        """Folders are taken with all that is in them, also in folders within; what is no photo is counted."""
        page = self.page()
        before = self.counts()["photos"]
        paths = [self.picture() for _ in range(4)]
        inside = [("Thumbs.db", "", b"x"), self.of(paths[0]), self.of(paths[1]), ("notes.txt", "text/plain", b"words"),
                  {"name": "Evening", "inside": [self.of(paths[2]), {"name": "Empty", "inside": []}]}]
        self.drop(page, [self.of(paths[3]), ("DCIM", "", b"x")], {"DCIM": inside})
        self.here(page, 4, 4)
        self.expect(self.counts()["photos"] == before + 4, f"four files in folders are {self.counts()}")
        refused = page.locator(".adding [role=alert]").first
        self.expect(refused.inner_text() == "“DCIM”: 2 files are no photos or videos, and were passed over.", f"it says: {refused.inner_text()}")
        self.expect(page.locator(".adding [role=status]").first.is_hidden(), "it still looks through the folder")
        self.pages.shot(page, "uploads-folder")
        self.drop(page, [("Papers", "", b"x")], {"Papers": [("letter.txt", "text/plain", b"words")]})
        self.pages.until(lambda: "“Papers”: there is no photo or video in it." in refused.inner_text(), "a folder without photos is told")
        self.pages.quiet("folders that are dropped")
        page.context.close()

    def chosen(self):
        """By keys alone, and a file that is no photo though it is called one."""
        page = self.page((390, 844))
        bad = os.path.join(self.pages.folder, "broken.jpg")
        with open(bad, "wb") as file:
            file.write(b"no picture at all")
        before = self.counts()["photos"]
        with page.expect_file_chooser() as choice:
            page.locator("#choose-photos").focus()
            page.keyboard.press("Enter")
        self.expect(choice.value.is_multiple(), "one photo at a time can be chosen")
        choice.value.set_files([self.picture(), bad])
        self.here(page, 1, 2)
        row = page.locator(".uploads li[data-state=failed]")
        row.wait_for()
        self.expect("broken.jpg" in row.inner_text(), f"what failed is shown as {row.inner_text()}")
        self.pages.shot(page, "uploads-phone")
        self.pages.axe(page, "an upload that failed")
        for button in page.locator(".adding button:visible").all():
            box = button.bounding_box()
            self.expect(box["height"] >= 44 and box["width"] >= 44, f"a button is as small as {box}")
        row.get_by_role("button", name="Try again").focus()
        page.keyboard.press("Enter")
        self.pages.until(lambda: row.count() == 1 and "Waits" not in row.inner_text(), "it fails once more", 20)
        row.get_by_role("button", name="Cancel").focus()
        page.keyboard.press("Enter")
        self.pages.holds(page, "document.querySelectorAll('.uploads li[data-state=failed]').length === 0")
        self.expect(self.counts()["photos"] == before + 1, f"{self.counts()}")
        # That its bytes are no image is said in the console by the browser where it was asked again.
        self.pages.console = [line for line in self.pages.console if "status of 409" not in line]
        self.pages.quiet("photos that are chosen")
        page.context.close()

    def sent(self, page):
        return page.evaluate("() => Number(document.querySelector('.uploads progress')?.value ?? 0)")

    def cut(self):
        """The server dies in the middle of an upload and comes back: it goes on, and is one photo."""
        page = self.page()
        slow = slowly(page)
        path = self.picture(95, "2200x1500")
        before = self.counts()["photos"]
        self.drop(page, [self.of(path)])
        self.pages.until(lambda: self.sent(page) > 300_000, "the upload is under way", 30)
        # Nothing more comes to it while it is looked at.
        self.server.process.send_signal(signal.SIGSTOP)
        self.pages.shot(page, "uploads-under-way")
        self.pages.axe(page, "an upload under way")
        self.server.process.kill()
        self.server.process.wait()
        self.pages.holds(page, "document.querySelector('.uploads li').textContent.includes('Tries again in')")
        self.pages.shot(page, "uploads-cut")
        self.server.start(self.server.port)
        slow.detach()
        self.here(page, 1, 1)
        self.expect(self.counts()["photos"] == before + 1, f"{self.counts()}")
        # The browser notes each request that the server did not answer.
        self.pages.console = [line for line in self.pages.console if not re.search("net::ERR_|status of (50[23]|423)|Failed to fetch", line)]
        self.pages.quiet("a server that died")
        page.context.close()

    def reloaded(self):
        """The page is loaded anew in the middle: the browser asks first, and the same file goes on where it stopped."""
        page = self.page()
        slow = slowly(page)
        path = self.picture(95, "2200x1500")
        before = self.counts()["photos"]
        page.set_input_files("#choose-files", path)
        row = page.locator(".uploads li")
        row.wait_for()
        self.pages.until(lambda: self.sent(page) > 300_000, "the upload is under way", 30)
        row.get_by_role("button", name="Pause").click()
        self.pages.holds(page, "document.querySelector('.uploads li').dataset.state === 'paused'")
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        page.locator("h1").first.click()
        # By the page's own script: the one of the browser's tools asks no page.
        with page.expect_navigation(wait_until="load"):
            page.evaluate("() => void setTimeout(() => location.reload())")
        self.expect(asked == ["beforeunload"], f"leaving while photos are sent asks {asked}")
        page.locator("#choose-photos").wait_for()
        self.pages.holds(page, f"document.querySelector('.adding .hint').textContent.includes('{os.path.basename(path)}')")
        # Until the server has put away what the page that has gone was sending, it takes nothing: only what it has taken counts.
        taken = []
        page.on("response", lambda answer: answer.request.method == "PATCH" and answer.status == 204
                and taken.append(int(answer.request.headers["upload-offset"])))
        begun = []
        page.on("request", lambda request: request.method == "POST" and request.url.endswith("/uploads/tus") and begun.append(request.url))
        slow.detach()
        page.set_input_files("#choose-files", path)
        self.here(page, 1, 1)
        self.expect(not begun and taken and taken[0] > 0, f"after a reload it goes on from {taken}, with {len(begun)} new uploads")
        self.expect(self.counts()["photos"] == before + 1, f"{self.counts()}")
        self.pages.console = [line for line in self.pages.console if "status of 423" not in line]
        self.pages.quiet("a page that was loaded anew")
        page.context.close()

    def refusals(self):
        """Busy for a moment, no credits, and a host who has enough of it."""
        page = self.page()
        tries = []

        def busy(route):
            tries.append(route.request.method)
            if len(tries) > 1:
                route.fallback()
            else:
                route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": {"code": "SERVICE_UNAVAILABLE", "message": "busy"}})

        page.route("**/uploads/tus", busy)
        self.drop(page, [self.of(self.picture())])
        self.here(page, 1, 1)
        self.expect(len(tries) == 2, f"a busy server was asked {len(tries)} times")
        page.unroute("**/uploads/tus")
        page.route("**/uploads/tus", lambda route: route.fulfill(status=402, json={"error": {"code": "PAYMENT_REQUIRED", "message": "no credits are left"}}))
        self.drop(page, [self.of(self.picture()) for _ in range(5)])
        self.pages.holds(page, f"{UNDER}.querySelector('.problem').textContent === 'No credits are left.'")
        page.unroute("**/uploads/tus")
        page.locator("#hold-uploads").click()
        self.here(page, 6, 6)
        page.route("**/uploads/tus/*", lambda route: route.abort() if route.request.method == "PATCH" else route.fallback())
        self.drop(page, [self.of(self.picture())])
        self.pages.holds(page, "document.querySelector('.uploads').textContent.includes('Tries again in')")
        page.locator("#clear-uploads").click()
        self.here(page, 6, 6)
        self.pages.until(lambda: self.counts()["pending"] == 0, "what was cancelled is gone from the server")
        self.pages.console = [line for line in self.pages.console if not re.search("status of (402|503)|net::ERR_FAILED", line)]
        self.pages.quiet("uploads that are refused")
        page.context.close()

    def look(self):
        for part in (self.dropped, self.folders, self.chosen, self.cut, self.reloaded, self.refusals):
            part()
