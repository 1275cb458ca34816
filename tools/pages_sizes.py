"""Everything that guests and hosts see, at each size of screen, by day and by night, and from right to left, for tools/pages.py.

No language of the gallery is written from right to left yet; its pages are turned round here, so that one can be."""

import itertools
import urllib.request

import accessibility
import bench_gallery

# Width and height in pixels of CSS, pixels of the screen for each, and whether a finger points.
SIZES = {"phone": (390, 844, 3, True), "tablet": (820, 1180, 2, True), "desk": (1440, 900, 1, False), "projector": (1920, 1080, 1, False)}
# Beside other programs those that no other walk has; else each size in both lights and in both directions.
FEW = [("tablet", True, True), ("projector", False, False)]
# In pixels of CSS: the least that is pressed safely (WCAG 2.2, 2.5.8).
FINGER = 24
NAME = "Marie-Thérèse & Maximilian’s wedding in Untersiebenbrunn"


class Sizes:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": NAME, "allowsGuestUploads": True, "allowsHearts": True, "allowsComments": True})
        self.guarded = self.server.call("POST", "/events", {"name": NAME, "pin": "24680"})
        # What is wrong is gathered, so that one walk tells all of it.
        self.wrong = []
        self.address = f"{pages.base}/e/{self.event['slug']}"

    def tab(self, size, is_dark, is_turned):
        width, height, pixels, has_touch = SIZES[size]
        context = self.pages.browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=pixels, has_touch=has_touch, is_mobile=size == "phone",
            color_scheme="dark" if is_dark else "light", reduced_motion="reduce")  # fmt: skip
        if is_turned:
            # Before anything is laid out, as a page in such a language would be.
            context.add_init_script("new MutationObserver(() => { if (document.documentElement) document.documentElement.dir = 'rtl'; })"
                                    ".observe(document, { childList: true });")
        page = self.pages.tab(context)
        self.where = " ".join([size, "dark" if is_dark else "light"] + ["turned"] * is_turned)
        return page

    def hold(self, holds, sentence):
        if not holds:
            self.wrong.append(sentence)

    def judge(self, page, what):
        """Nothing is wider than the screen, nothing that is pressed is too small or out of sight, and axe-core finds nothing."""
        name = f"{what}, {self.where}"
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        self.hold(wide <= 0, f"{name}: the page is {wide} pixels wider than the screen")
        panel = page.evaluate("""() => { const it = document.querySelector('dialog[open]'); return it ? it.scrollWidth - it.clientWidth : 0; }""")
        self.hold(panel <= 0, f"{name}: the panel is {panel} pixels wider than it can show")
        cut = page.evaluate("""() => [...document.querySelectorAll('button, a.button, input:not([type=hidden]), select, summary')]
          .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest('[inert], .unseen'))
          .filter((one) => !document.querySelector('dialog[open]') || one.closest('dialog[open]'))
          .map((one) => [one.id || one.name || one.className || one.textContent.trim(), one.getBoundingClientRect()])
          .filter(([, { left, right, width }]) => width && (left < -0.5 || right > innerWidth + 0.5)).map(([name]) => name)""")
        self.hold(not cut, f"{name}: {cut} lie beside the screen")
        small = page.evaluate("""(finger) => [...document.querySelectorAll('button, a.button')]
          .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest('[inert], .unseen'))
          .map((one) => [one.id || one.className || one.textContent.trim(), one.getBoundingClientRect()])
          .filter(([, { width, height }]) => width > 1 && (width < finger || height < finger)).map(([name]) => name)""", FINGER)
        self.hold(not small, f"{name}: {small} are too small to be pressed")
        found = accessibility.findings(page)
        self.hold(not found, f"{name}: axe-core finds {found}")
        self.pages.shot(page, f"size-{self.where.replace(' ', '-')}-{what.replace(' ', '-')}")

    def panel(self, page, opener, selector, what):
        page.locator(opener).click()
        page.locator(selector).wait_for()
        self.judge(page, what)
        page.keyboard.press("Escape")
        page.locator(selector).wait_for(state="hidden")

    def guests(self, *kind):
        page = self.tab(*kind)
        page.goto(self.address, wait_until="load")
        page.locator(".live:not([hidden])").wait_for()
        page.locator("dialog.box").wait_for(state="attached")
        self.pages.holds(page, "[...document.querySelectorAll('.wall img')].slice(0, 4).every((image) => image.naturalWidth > 0)")
        self.judge(page, "wall")
        self.panel(page, "#open-uploads", "dialog.bring[open]", "add photos")
        self.panel(page, "#open-download", "dialog[open] #take-title", "download")
        self.panel(page, "#open-share", "dialog[open] #share", "share")
        page.fill("[name=q]", "Thessaloniki")
        self.pages.holds(page, "document.querySelectorAll('.wall li').length === 1")
        self.judge(page, "search")
        page.fill("[name=q]", "")
        self.pages.holds(page, "document.querySelectorAll('.wall li').length > 1")
        page.locator("#open-picks").click()
        self.pages.holds(page, "document.querySelector('#open-picks').getAttribute('aria-pressed') === 'true'")
        page.locator(".wall li a").first.click()
        self.judge(page, "picking")
        page.goto(self.address, wait_until="load")
        page.locator("dialog.box").wait_for(state="attached")
        page.locator(".wall li a").first.click()
        page.locator("dialog.box[open]").wait_for()
        self.pages.holds(page, "document.querySelector('dialog.box .stage img').naturalWidth > 0")
        self.judge(page, "photo")
        page.locator("#box-comments").click()
        page.locator("dialog.talk[open]").wait_for()
        self.judge(page, "comments")
        page.goto(f"{self.address}/show", wait_until="load")
        page.locator("#screen img").first.wait_for()
        self.judge(page, "show")
        self.pages.quiet(f"guests' pages, {self.where}")
        page.goto(f"{self.pages.base}/e/{self.guarded['slug']}", wait_until="load")
        page.locator("[name=pin]").wait_for()
        self.judge(page, "PIN")
        self.pages.quiet(f"the page that asks for the PIN, {self.where}")
        page.context.close()

    def hosts(self, *kind):
        page = self.tab(*kind)
        page.goto(f"{self.pages.base}/host", wait_until="load")
        page.locator("#login").wait_for()
        self.judge(page, "log-in")
        self.pages.log_in(page, bench_gallery.PASSWORD)
        link = page.locator(f"a[href='#event/{self.event['id']}']").first
        link.wait_for()
        self.judge(page, "events")
        link.click()
        page.locator("li[data-photo]").nth(5).wait_for()
        # What guests liked and the choice of an album come after the photos.
        page.locator("[data-liked] button").wait_for()
        page.locator("#edit-albums").wait_for()
        self.judge(page, "event")
        self.panel(page, "#edit-event", "#edit-event-form", "edit an event")
        self.panel(page, "#edit-look", "dialog.look-panel[open] #look-form", "look")
        self.panel(page, "#show-downloads", "dialog.wide[open]", "downloads")
        self.panel(page, "[data-liked] button", "dialog[open] [data-comment]", "comments of a photo")
        self.panel(page, "#edit-albums", "dialog[open] .album-list", "albums")
        page.locator("li[data-photo] .edit").first.click()
        page.locator("#edit-photo").wait_for()
        self.judge(page, "edit a photo")
        self.pages.quiet(f"hosts' pages, {self.where}")
        page.context.close()

    def taken_home(self):
        """By one guest, so that its host's panel has something to tell."""
        url = self.server.call("POST", f"/e/{self.event['slug']}/zip-link")["url"]
        with urllib.request.urlopen(self.pages.base + url[url.index("/e/") :]) as archive:
            archive.read()
        path = f"/events/{self.event['id']}/downloads"
        self.pages.until(lambda: self.server.call("GET", path)["total"]["times"] >= 1, "the ZIP is counted", 30)

    def look(self):
        self.pages.upload(9, self.event)
        photo = self.server.call("GET", f"/events/{self.event['id']}/photos")["photos"][0]
        words = "The bride’s grandmother, who came from Thessaloniki by train, with her Donaudampfschifffahrtsgesellschaftskapitän"
        self.server.call("PATCH", f"/photos/{photo['id']}", {"caption": words, "tags": ["family", "first dance"]})
        self.server.call("POST", f"/e/{self.event['slug']}/photos/{photo['id']}/comments", {"name": "Cleo", "text": "What a journey!"})
        self.server.call("POST", f"/events/{self.event['id']}/albums", {"name": "Speeches, the first dance and the fireworks over the lake"})
        self.taken_home()
        for size, is_dark, is_turned in FEW if self.pages.patience > 1 else itertools.product(SIZES, (False, True), (False, True)):
            self.guests(size, is_dark, is_turned)
            # Hosts are written to in English.
            if not is_turned:
                self.hosts(size, is_dark, is_turned)
        self.expect(not self.wrong, "; ".join(self.wrong))
