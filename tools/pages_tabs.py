"""Pages that are not looked at, the operator's terms, and the screen in a hall behind a PIN, for tools/pages.py."""
import os
import subprocess
import time

import bench_gallery as parts

TERMS = "Photos stay for a year.\n\nThen they are deleted & forgotten."
PIN = "471100"
HIDE = "(isHidden) => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden }); document.dispatchEvent(new Event('visibilitychange')); }"
HIDDEN = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });"


class Tabs:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server

    def hidden(self):
        """A browser has six connections to a server: a page that is not looked at leaves its own to others, and hears afterwards
        what it has missed."""
        event = self.server.call("POST", "/events", {"name": "In many tabs"})
        self.pages.upload(1, event)
        address = f"{self.pages.base}/e/{event['slug']}"
        context = self.pages.browser.new_context(viewport={"width": 1280, "height": 800})
        tabs = []
        for number in range(7):
            tab = self.pages.tab(context)
            tab.clock.install()
            if number == 5:
                # Opened behind the others: it never goes out of sight.
                tab.add_init_script(HIDDEN)
            # One of them is the host's.
            tab.goto(f"{self.pages.base}/host#event/{event['id']}" if number == 3 else address)
            if number == 3:
                self.pages.log_in(tab, parts.PASSWORD)
                tab.locator(".live-state.is-open").wait_for()
            tab.locator(".live:not([hidden]), .live-state.is-open").first.wait_for()
            if number != 5:
                tab.evaluate(HIDE, True)
            tab.clock.fast_forward(61_000)
            tabs.append(tab)
        self.pages.upload(1, event)
        for number in (0, 3):
            tabs[number].evaluate(HIDE, False)
            self.pages.until(lambda: tabs[number].locator(".wall li, .tiles li, [data-photo]").count() >= 2, "a page that is looked at again hears what came")
        self.pages.console = [line for line in self.pages.console if "401" not in line and "net::ERR_" not in line]
        self.pages.quiet("pages that are not looked at")
        context.close()

    def uploads(self):
        """Two pages of a host send files of the same event: what one of them finishes takes nothing away that the other has begun."""
        event = self.server.call("POST", "/events", {"name": "From two tabs"})
        one = self.pages.host_page(event)
        other = self.pages.tab(one.context)
        other.goto(f"{self.pages.base}/host#event/{event['id']}")
        scripts = "performance.getEntriesByType('resource').map((entry) => entry.name).find((name) => name.endsWith('/unfinished.js'))"
        for page in (one, other):
            self.pages.holds(page, scripts)
        run = f"async ([event, name, address]) => {{ const known = await import({scripts}); const file = {{ name, size: 1, lastModified: 1 }};" \
              " if (address) known.note(event, file, { key: 'k', address }); else if (name) known.forget(event, file); return known.interrupted(event); }"
        other.evaluate(run, [event["id"], None, None])
        one.evaluate(run, [event["id"], "slow.jpg", "/uploads/tus/1"])
        other.evaluate(run, [event["id"], "quick.jpg", "/uploads/tus/2"])
        other.evaluate(run, [event["id"], "quick.jpg", None])
        one.reload()
        self.pages.holds(one, scripts)
        left = one.evaluate(run, [event["id"], None, None])
        self.expect(left == ["slow.jpg"], f"what is not finished is {left}")
        one.get_by_text("1 upload was interrupted").wait_for()
        self.pages.quiet("uploads from two tabs")
        one.context.close()

    def terms(self):
        """Who agrees to the operator's terms has them on the page."""
        folder = os.path.join(self.pages.folder, "terms")
        os.makedirs(folder)
        for name, text in (("password", parts.PASSWORD), ("terms", TERMS)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        data, port_file = os.path.join(folder, "data"), os.path.join(folder, "port")
        subprocess.run([parts.GALLERY, "user", "add", "a@example.org", "--password-file", os.path.join(folder, "password"), "--data", data],
                       check=True, stdout=subprocess.DEVNULL)
        words = ["--listen", "127.0.0.1:0", "--data", data, "--port-file", port_file, "--terms", os.path.join(folder, "terms")]
        process = subprocess.Popen([parts.GALLERY, "serve", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.pages.until(lambda: os.path.exists(port_file), "a gallery with terms starts", 30)
            with open(port_file) as file:
                base = f"http://127.0.0.1:{int(file.read())}"
            for size in ((390, 844), (1280, 800)):
                page = self.pages.page(size)
                page.goto(f"{base}/host")
                self.pages.log_in(page, parts.PASSWORD)
                shown = page.locator(".terms")
                shown.wait_for()
                self.expect(shown.inner_text() == TERMS, f"the terms read {shown.inner_text()!r}")
                page.get_by_text("I agree to these terms.").wait_for()
                self.pages.axe(page, "the operator's terms")
                self.pages.shot(page, f"terms-{size[0]}")
                if size[0] == 1280:
                    page.locator("#consent [name=agreed]").check()
                    page.locator("#consent .main").click()
                    page.get_by_role("heading", name="Your events").wait_for()
                page.context.close()
        finally:
            process.terminate()
            process.wait(40)
        self.pages.console = [line for line in self.pages.console if "401" not in line]
        self.pages.quiet("the operator's terms")

    def screen(self):
        """The host opens the screen without a PIN, and its code lets guests in; by its bare address the PIN leads to it."""
        event = self.server.call("POST", "/events", {"name": "Behind a PIN", "pin": PIN})
        self.pages.upload(1, event)
        host = self.pages.host_page(event)
        target = host.locator("#open-show").get_attribute("href")
        page = self.pages.page((1920, 1080))
        page.goto(target, wait_until="load")
        page.locator("#screen img").first.wait_for()
        self.expect("?k=" not in page.url and "/show" in page.url, f"the screen is at {page.url}")
        page.locator(".door img.qr").wait_for()
        path = os.path.join(self.pages.folder, "screen.png")
        end = time.monotonic() + 10 * self.pages.patience
        read = None
        while read != event["entryUrl"] and time.monotonic() < end:
            page.screenshot(path=path)
            read = subprocess.run(["zbarimg", "-q", "--raw", path], capture_output=True, text=True).stdout.strip()
        self.expect(read == event["entryUrl"], f"the code on the screen says '{read}', not {event['entryUrl']}")
        self.pages.axe(page, "the screen that its host opened")
        self.pages.shot(page, "screen")
        page.keyboard.press("Space")
        photo = self.server.call("GET", f"/events/{event['id']}/photos")["photos"][0]
        self.pages.upload(1, event)
        self.server.call("PATCH", f"/photos/{photo['id']}", {"hidden": True})
        source = "document.querySelector('#screen img:last-child')?.getAttribute('src') ?? ''"
        self.pages.until(lambda: photo["screenKey"] not in page.evaluate(source) and page.evaluate(source), "a screen that is held shows another photo when its own is hidden")
        page.context.close()
        page = self.pages.page((1920, 1080))
        page.goto(f"{self.pages.base}/e/{event['slug']}/show?seconds=12", wait_until="load")
        page.fill("[name=pin]", PIN)
        page.keyboard.press("Enter")
        page.locator("#screen img").first.wait_for()
        self.expect(page.url.endswith("/show?seconds=12"), f"the PIN leads to {page.url}")
        page.context.close()
        host.context.close()
        self.pages.console = [line for line in self.pages.console if "404" not in line]
        self.pages.quiet("the screen behind a PIN")

    def deleted(self):
        """An event that its host deletes leaves every page that shows it, by itself."""
        event = self.server.call("POST", "/events", {"name": "Not for long"})
        self.pages.upload(1, event)
        address = f"{self.pages.base}/e/{event['slug']}"
        wall, screen, host = self.pages.page(), self.pages.page(), self.pages.host_page(event)
        wall.goto(address, wait_until="load")
        screen.goto(f"{address}/show", wait_until="load")
        wall.locator(".live:not([hidden])").wait_for()
        screen.locator("#screen img").first.wait_for()
        host.locator(".live-state.is-open").wait_for()
        self.server.call("DELETE", f"/events/{event['id']}")
        for page, words in ((wall, "There is nothing here"), (screen, "There is nothing here"), (host, "There is no such event")):
            self.pages.until(lambda: page.get_by_role("heading", name=words).count(), f"a page of an event that was deleted says: {words}")
            page.context.close()
        # The answers that say so are said in the console; nothing else is.
        self.pages.console = [line for line in self.pages.console if "404" not in line]
        self.pages.quiet("pages of an event that was deleted")

    def look(self):
        self.hidden()
        self.uploads()
        self.terms()
        self.screen()
        self.deleted()
