"""What a guest picks and takes home, for tools/pages.py: by mouse, keys and fingers, in two tabs, and when something fails."""
import re
import zipfile

BAR = "document.querySelector('.picks')"
TAKE = "document.querySelector('dialog.take')"


class Picks:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Picked", "allowsOriginals": True})
        pages.upload(9, self.event)
        self.address = f"{pages.base}/e/{self.event['slug']}"
        self.ids = [photo["id"] for photo in self.photos()]

    def photos(self):
        return self.server.call("GET", f"/e/{self.event['slug']}/photos?limit=200")["photos"]

    def page(self, size, context=None, **wishes):
        page = self.pages.tab(context) if context else self.pages.page(size, **wishes)
        page.goto(self.address, wait_until="load")
        page.locator("dialog.box").wait_for(state="attached")
        return page

    def pick(self, page, *places):
        for place in places:
            # What picking needs comes with the first move over a photo, if that is made after the page's scripts are there.
            page.locator("dialog.box").wait_for(state="attached")
            tile = page.locator(f"[id='{self.ids[place]}']")
            tile.hover(position={"x": 9, "y": 9})
            tile.hover()
            tile.locator(".pick").click()

    def says(self, page, words):
        try:
            self.pages.holds(page, f"{BAR}?.hidden === false && {BAR}.textContent.startsWith('{words}')")
        except Exception as error:
            kept = "localStorage['picks ' + location.pathname]"
            raise Exception(f"{error}; instead {page.evaluate(f'() => [{BAR}?.hidden, {BAR}?.textContent, {kept}]')}") from error

    def shown(self, page, *places):
        wanted = ",".join(self.ids[place] for place in places)
        self.pages.holds(page, f"[...document.querySelectorAll('.wall li')].map((item) => item.id).join() === '{wanted}'")

    def choices(self, page):
        self.pages.holds(page, f"{TAKE}?.querySelector('.choices a')")
        return page.locator("dialog.take .choices a")

    def told(self, page, part, words):
        self.pages.holds(page, f"{TAKE}?.querySelector('{part}')?.textContent.includes('{words}')")

    def saved(self, page, size):
        """What is in the ZIP: names, and how many bytes it has."""
        with page.expect_download() as saved:
            page.locator(f"dialog.take [data-size={size}]").click()
        with open(saved.value.path(), "rb") as file:
            length = len(file.read())
        with zipfile.ZipFile(saved.value.path()) as archive:
            self.expect(archive.testzip() is None, "the ZIP is damaged")
            return sorted(archive.namelist()), length

    def named(self, photos, size):
        """Under which names these photos are to be in a ZIP."""
        hosts = {photo["id"]: photo for photo in self.server.call("GET", f"/events/{self.event['id']}/photos?limit=200")["photos"]}
        names = [hosts[photo]["filename"] or f"{photo}.jpg" for photo in photos]
        return sorted(re.sub(r"\.[^.]+$", ".jpg", name) if size == "screen" else name for name in names)

    # What is looked at

    def by_mouse(self):
        page = self.page((1280, 800))
        self.expect(page.evaluate("() => !document.querySelector('.pick')"), "what picking needs is loaded before a guest comes near")
        self.pick(page, 1, 3, 4)
        self.says(page, "3 picked")
        self.pages.shot(page, "picks-desk")
        self.pages.axe(page, "the wall with picks")
        self.pick(page, 4)
        self.says(page, "2 picked")
        page.reload(wait_until="load")
        self.says(page, "2 picked")
        self.pages.holds(page, "document.querySelectorAll('.wall .picked').length === 2")
        page.locator(".picks .main").click()
        self.expect(self.choices(page).count() == 2, "not both sizes are offered where originals are given")
        page.wait_for_timeout(300)
        self.pages.shot(page, "picks-take")
        self.pages.axe(page, "the choice of sizes")
        for size in ("screen", "original"):
            names, length = self.saved(page, size)
            self.expect(names == self.named([self.ids[1], self.ids[3]], size), f"the ZIP of two picks has {names}")
            shown = page.locator(f"[data-size={size}] bdi").inner_text()
            self.expect(shown == f"{length / 1000:.0f} kB", f"a ZIP of {length} bytes was told as {shown}")
        page.keyboard.press("Escape")
        self.pages.holds(page, "document.activeElement.matches('.picks .main')")
        self.pages.quiet("picking by mouse")
        return page

    def mine(self, page):
        """The wall shows the picks alone, and all photos again; picks are cleared, and that is taken back."""
        page.locator(".picks .mine").click()
        self.shown(page, 1, 3)
        self.pages.shot(page, "picks-mine")
        page.locator(".wall li > a").first.click()
        self.pages.holds(page, "document.querySelector('.place')?.textContent.startsWith('1 / 2')")
        page.keyboard.press("p")
        self.pages.holds(page, "document.querySelector('#box-pick').getAttribute('aria-pressed') === 'false'")
        page.keyboard.press("p")
        page.keyboard.press("ArrowRight")
        self.pages.holds(page, "document.querySelector('.place')?.textContent.startsWith('2 / 2')")
        self.expect(page.locator("#box-pick").get_attribute("aria-pressed") == "true", "the lightbox does not say that a photo is picked")
        self.pages.shot(page, "picks-lightbox")
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="hidden")
        page.locator(".picks .mine").click()
        self.shown(page, *range(len(self.ids)))
        page.locator(".picks .clear").click()
        self.says(page, "Picks cleared")
        self.pages.holds(page, "document.activeElement.matches('.picks .undo')")
        page.keyboard.press("Enter")
        self.says(page, "2 picked")
        # What is searched for takes the place of the picks.
        page.locator(".picks .mine").click()
        self.shown(page, 1, 3)
        page.fill("[name=q]", "zebra")
        self.shown(page)
        page.fill("[name=q]", "")
        self.shown(page, *range(len(self.ids)))
        self.pages.quiet("the picks on the wall")

    def in_two_tabs(self, page):
        other = self.page(None, page.context)
        self.says(other, "2 picked")
        self.pick(other, 6)
        self.says(page, "3 picked")
        self.pages.holds(page, f"document.getElementById('{self.ids[6]}').classList.contains('picked')")
        # A photo that is hidden leaves the picks of both, and comes back with its photo.
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": True})
        self.says(page, "2 picked")
        self.says(other, "2 picked")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": False})
        self.says(page, "3 picked")
        self.says(other, "3 picked")
        other.locator(".picks .clear").click()
        self.pages.holds(page, f"{BAR}?.hidden")
        other.locator(".picks .undo").click()
        self.says(page, "3 picked")
        # What is cleared while a photo is hidden does not come back with it where only the other tab saw it go.
        page.goto("about:blank")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": True})
        self.says(other, "2 picked")
        page.goto(self.address, wait_until="load")
        self.says(page, "2 picked")
        page.locator(".picks .clear").click()
        self.pages.holds(other, f"{BAR}?.hidden")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": False})
        for tab in (page, other):
            self.shown(tab, *range(len(self.ids)))
        self.expect(other.evaluate(f"() => {BAR}.hidden"), "a pick that was cleared in another tab is back with its photo")
        self.pick(other, 1, 3, 6)
        self.says(page, "3 picked")
        # What another tab gives up one by one is not cleared: the hidden one comes back.
        other.goto("about:blank")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": True})
        self.says(page, "2 picked")
        other.goto(self.address, wait_until="load")
        self.says(other, "2 picked")
        self.pick(other, 1, 3)
        self.pages.holds(page, f"{BAR}?.hidden")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": False})
        self.says(page, "1 picked")
        self.says(other, "1 picked")
        self.pick(other, 1, 3)
        self.says(page, "3 picked")
        # Another is hidden while no page is open: it leaves when the server says that it does not know it.
        page.goto("about:blank")
        other.goto("about:blank")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": True})
        page.goto(self.address, wait_until="load")
        self.says(page, "3 picked")
        page.locator(".picks .main").click()
        self.told(page, "[role=status]", "2 of your 3 picks are still here")
        self.says(page, "2 picked")
        page.keyboard.press("Escape")
        self.server.call("PATCH", f"/photos/{self.ids[6]}", {"hidden": False})
        # That a photo is not there is said in the console by the browser itself; nothing else is.
        self.pages.console = [line for line in self.pages.console if "404" not in line]
        self.pages.quiet("picks in two tabs")
        page.context.close()

    def with_a_mouse_in_wait(self):
        """The mouse lies on a photo before the page's scripts are there; a short move on that photo is enough."""
        page = self.pages.page((1280, 800))
        held = []
        page.route("**/picker.js", lambda route: held.append(route))
        with page.expect_request("**/picker.js"):
            page.goto(self.address, wait_until="load")
        tile = page.locator(f"[id='{self.ids[2]}']")
        tile.hover()
        self.expect(held, "the script came before the mouse")
        held[0].continue_()
        page.locator("dialog.box").wait_for(state="attached")
        place = tile.bounding_box()
        page.mouse.move(place["x"] + place["width"] / 2 + 3, place["y"] + place["height"] / 2)
        tile.locator(".pick").click()
        self.says(page, "1 picked")
        self.pages.quiet("a mouse that was there before the scripts")
        page.context.close()

    def by_keys(self):
        page = self.page((1280, 800))
        link = page.locator(".wall li > a").first
        link.focus()
        page.locator(".pick").first.wait_for(state="attached")
        page.keyboard.press("p")
        self.says(page, "1 picked")
        page.keyboard.press("Tab")
        self.expect(page.evaluate("() => document.activeElement.matches('.pick[aria-pressed=true]')"), "Tab does not lead to the button that picks")
        self.pages.shot(page, "picks-keys")
        page.keyboard.press("Space")
        self.pages.holds(page, f"{BAR}?.hidden")
        page.locator("#open-picks").focus()
        page.keyboard.press("Enter")
        link.focus()
        page.keyboard.press("Enter")
        self.says(page, "1 picked")
        page.keyboard.press("Escape")
        self.expect(page.locator("#open-picks").get_attribute("aria-pressed") == "false", "Escape does not end picking")
        self.expect(page.locator("dialog.box[open]").count() == 0, "Enter opens a photo while one picks")
        self.pages.quiet("picking by keys")
        page.context.close()

    def by_touch(self, dark):
        page = self.page((390, 844), dark=dark)
        tiles = page.locator(".wall li > a")
        page.locator("#open-picks").tap()
        self.says(page, "Tap photos to pick them")
        tiles.nth(0).tap()
        tiles.nth(2).tap()
        self.says(page, "2 picked")
        page.wait_for_timeout(300)
        self.pages.shot(page, f"picks-phone{'-dark' if dark else ''}")
        self.pages.axe(page, "picking on a phone")
        page.locator(".picks .done").tap()
        # A finger on the mark of a picked photo opens it.
        box = page.locator(".wall li").first.bounding_box()
        page.touchscreen.tap(box["x"] + 20, box["y"] + 20)
        page.locator("dialog.box[open]").wait_for()
        page.locator("#box-pick").tap()
        self.pages.holds(page, "document.querySelector('#box-pick').getAttribute('aria-pressed') === 'false'")
        page.locator("#box-close").tap()
        self.says(page, "1 picked")
        page.locator("#open-download").tap()
        self.choices(page)
        self.told(page, "[role=status]", f"{len(self.ids)} photos in one ZIP")
        names, _ = self.saved(page, "screen")
        self.expect(names == self.named(self.ids, "screen"), f"the ZIP of everything has {names}")
        self.pages.shot(page, f"picks-phone-all{'-dark' if dark else ''}")
        self.pages.quiet("picking by touch")
        page.context.close()

    def failures(self):
        page = self.page((1280, 800))
        self.pick(page, 0, 1)
        busy = {"error": {"code": "SERVICE_UNAVAILABLE", "message": "busy"}}

        def refuse(address, status, **headers):
            page.route(address, lambda route: route.fulfill(status=status, json=busy, headers=headers))

        for status, headers, words in ((503, {"Retry-After": "60"}, "Too many downloads are under way at this moment. Try again in a minute."),
                                       (429, {"Retry-After": "7"}, "Try again in 7 seconds."), (422, {}, "more photos than one ZIP has"),
                                       (404, {}, "None of these photos is here any more."), (500, {}, "could not make the ZIP (500)")):
            refuse("**/zip-link", status, **headers)
            page.locator(".picks .main").click()
            self.told(page, ".problem", words)
            self.expect(page.locator("dialog.take .choices a").count() == 0, "a download is offered that cannot be had")
            page.unroute("**/zip-link")
            if status == 503:
                self.pages.shot(page, "picks-busy")
                self.pages.axe(page, "a refusal")
                page.get_by_role("button", name="Try again").click()
                self.choices(page)
            page.keyboard.press("Escape")
        # The connection is lost when the download is to begin, or all seats are taken since; nothing is lost by that.
        page.locator(".picks .main").click()
        self.choices(page)
        page.route("**/zip?*", lambda route: route.abort())
        page.locator("[data-size=screen]").click()
        self.told(page, ".problem", "does not answer")
        page.unroute("**/zip?*")
        refuse("**/zip?*", 503, **{"Retry-After": "60"})
        page.locator("[data-size=screen]").click()
        self.told(page, ".problem", "Too many downloads")
        page.unroute("**/zip?*")
        names, _ = self.saved(page, "screen")
        self.expect(len(names) == 2, f"after refusals the ZIP has {names}")
        # The hosts give no originals any more: the choice is another one then.
        self.server.call("PATCH", f"/events/{self.event['id']}", {"allowsOriginals": False})
        page.locator("[data-size=original]").click()
        self.told(page, ".problem", "not good any more")
        self.expect(self.choices(page).count() == 1, "originals are offered where guests may not have them")
        page.keyboard.press("Escape")
        self.says(page, "2 picked")
        self.server.call("PATCH", f"/events/{self.event['id']}", {"allowsOriginals": True})
        # Refusals are said in the console by the browser itself; nothing else is.
        self.pages.console = [line for line in self.pages.console if not re.search("Failed to load resource|net::ERR_", line)]
        self.pages.quiet("downloads that fail")
        page.context.close()

    def without_storage(self):
        """A browser that keeps nothing has picks as long as the page."""
        page = self.pages.page((1280, 800))
        page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });")
        page.goto(self.address, wait_until="load")
        self.pick(page, 2)
        self.says(page, "1 picked")
        page.locator(".picks .mine").click()
        self.shown(page, 2)
        self.pages.quiet("picks that are not kept")
        page.context.close()
        # What another program has written there, or too much of it, does no harm.
        page = self.pages.page((1280, 800))
        page.goto(self.address, wait_until="load")
        key = f"picks /e/{self.event['slug']}"
        for text in ("{", "[1, [\"a\", \"b\"], null]", "\"x\""):
            page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])
            page.reload(wait_until="load")
            self.pick(page, 2)
            self.says(page, "1 picked")
        self.invent(page, key, 1200)
        self.says(page, "1,000 picked")
        self.pick(page, 5)
        page.get_by_text("1,000 photos are as many as can be picked").wait_for()
        self.says(page, "1,000 picked")
        # None of them is known to the server: they leave when they are looked for.
        self.invent(page, key, 70)
        self.says(page, "70 picked")
        page.locator(".picks .main").click()
        self.told(page, ".problem", "None of these photos is here any more.")
        self.pages.holds(page, f"{BAR}.hidden")
        self.invent(page, key, 70)
        page.locator(".picks .mine").click()
        page.get_by_text("None of your picks is here any more").wait_for(timeout=60_000)
        self.says(page, "Nothing picked")
        page.get_by_role("button", name="Show all photos").click()
        self.shown(page, *range(len(self.ids)))
        self.pages.console = [line for line in self.pages.console if "404" not in line]
        self.pages.quiet("picks that are none")
        page.context.close()

    def invent(self, page, key, count):
        """So many picks of photos that never were."""
        page.evaluate("([key, id, count]) => localStorage.setItem(key, JSON.stringify(Array.from({ length: count }, (_, index) =>"
                      "[`${id.slice(0, 32)}${String(index).padStart(4, '0')}`, `1_${index + 1}`])))", [key, self.ids[0], count])
        page.reload(wait_until="load")

    def look(self):
        page = self.by_mouse()
        self.mine(page)
        self.in_two_tabs(page)
        self.with_a_mouse_in_wait()
        self.by_keys()
        for dark in (False, True):
            self.by_touch(dark)
        self.failures()
        self.without_storage()
