"""Thousands of photos at once on the host's page, for tools/pages.py: scrolled, selected beyond what is shown, changed in several
requests of which some fail, and put into an album by which they are shown."""
import re

import bench_gallery as parts
import wall_rows

PHOTOS = 3000
DANCING = PHOTOS // 5
TILES = "document.querySelectorAll('li[data-photo]').length"
SAID = "document.querySelector('.picking [role=status]').textContent"
# Some tiles are in the window, and each of these has its picture.
SEEN = """(() => {
  const seen = [...document.querySelectorAll('li[data-photo]')].filter((tile) => {
    const { top, bottom } = tile.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  return seen.length > 3 && seen.every((tile) => tile.querySelector('.edit img'));
})()"""
NOTICES = "document.getElementById('notices').textContent"


class Bulk:
    def __init__(self, pages, expect):
        self.pages, self.expect = pages, expect
        self.many = wall_rows.Event(pages, "bulk", PHOTOS)
        self.server = self.many.server
        self.path = f"/events/{self.server.event['id']}"

    def close(self):
        self.many.close()

    def shown(self):
        """How many guests see."""
        return self.server.call("GET", f"/e/{self.server.event['slug']}/timeline")["count"]

    def says(self, page, words):
        self.pages.until(lambda: page.evaluate(f"() => {SAID}").startswith(words), f"the bar says: {words}", 30)

    def tells(self, page, words):
        self.pages.until(lambda: words in page.evaluate(f"() => {NOTICES}"), f"a notice says: {words}", 60)

    # What is looked at

    def scrolled(self):
        page = self.pages.page((1280, 800))
        page.goto(f"http://127.0.0.1:{self.server.port}/host")
        self.pages.log_in(page, parts.PASSWORD)
        page.locator(f"a[href='#event/{self.server.event['id']}']").first.click()
        self.pages.holds(page, f"{TILES} === 60")
        page.locator(".live-state.is-open").wait_for()
        self.expect(page.locator("#more").is_visible(), "there is no button for those without scrolling")
        self.further(page, 400)
        ordered = page.evaluate("[...document.querySelectorAll('li[data-photo]')].map((tile) => tile.dataset.photo)")
        self.expect(ordered == sorted(ordered, reverse=True), "what comes by scrolling is not in its order")
        self.light(page)
        self.pages.quiet("a host's page that is scrolled")
        return page

    def light(self, page):
        """However far it is scrolled, some hundred tiles have something in them: those that are seen and what is around."""
        self.further(page, 1500)
        full = "document.querySelectorAll('li[data-photo] .edit').length"
        self.pages.holds(page, f"{full} <= 300")
        tall = page.evaluate("document.querySelector('.album').offsetHeight")
        for place in (0.5, 0.1, 0.8):
            page.evaluate(f"scrollTo(0, {place} * {tall})")
            self.pages.holds(page, SEEN)
            self.pages.holds(page, f"{full} <= 300")
        now = page.evaluate("document.querySelector('.album').offsetHeight")
        # More may have come meanwhile.
        self.expect(now >= tall, f"the list is {now} pixels high, and was {tall} before its tiles were emptied")
        self.unscrolled(page)

    def unscrolled(self, page):
        """What is seen may be another without any scrolling: the window is turned, or others are looked for."""
        for width in (700, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            self.pages.holds(page, SEEN)
        page.evaluate("scrollTo(0, 600)")
        self.pages.holds(page, SEEN)
        for words, is_found in (("dance", "%s"), ("", "!(%s)")):
            page.evaluate("""(words) => { const field = document.getElementById('search'); field.value = words;
              field.dispatchEvent(new Event('input', { bubbles: true })); }""", words)
            every = "[...document.querySelectorAll('li[data-photo]')].every((tile) => parseInt(tile.dataset.photo, 16) % 5 === 0)"
            self.pages.holds(page, f"{TILES} === 60 && {is_found % every} && {SEEN}")
        self.further(page, 400)
        page.evaluate("scrollTo(0, 0)")

    def further(self, page, least):
        while (before := page.evaluate(TILES)) < least:
            page.evaluate("scrollTo(0, document.body.scrollHeight)")
            self.pages.holds(page, f"{TILES} > {before}")

    def selected(self, page):
        """All of them, with what is shown and what is not; another session moves their times meanwhile."""
        page.locator("#select").click()
        self.expect(page.locator("#pick-all").inner_text() == "All 3,000", f"the button says {page.locator('#pick-all').inner_text()}")
        page.locator("#pick-all").click()
        before = page.evaluate(TILES)
        said = f"3,000 photos selected, {PHOTOS - before:,} of them not shown here"
        self.says(page, said)
        self.expect(page.locator("#pick-all").inner_text() == "None", "what is selected cannot be let go at once")
        lists = []
        page.on("response", lambda answer: "/photos?limit=" in answer.url and lists.append(answer.url))
        self.server.call("PATCH", self.path, {"timeZone": "+05:30"})
        self.pages.until(lambda: page.evaluate("1") and len(lists) >= 2, "the list is read anew", 30)
        page.wait_for_timeout(1000)
        self.expect(page.evaluate(TILES) == before, f"after a change of times {page.evaluate(TILES)} tiles are left of {before}")
        self.says(page, said)
        self.pages.shot(page, "bulk-selected")
        self.pages.axe(page, "thousands of photos that are selected")

    def hidden(self, page):
        page.locator("#hide-picked").click()
        page.locator(".notice.working progress").wait_for()
        self.pages.shot(page, "bulk-hiding")
        self.tells(page, "3,000 photos are hidden from guests.")
        self.expect(self.shown() == 0, f"guests see {self.shown()} photos of 3,000 that are hidden")
        self.expect(page.locator(".notice.working").count() == 0, "what was going on still says so")
        page.locator(".undo").click()
        self.tells(page, "It is as it was.")
        self.expect(self.shown() == PHOTOS, f"guests see {self.shown()} photos of 3,000 that are shown again")

    def failed(self, page):
        """The third request of twelve is answered by a server that is busy: what is done is told, and the rest goes on from there."""
        asked = []

        def busy(route):
            if route.request.method == "PATCH":
                asked.append(len(route.request.post_data_json["ids"]))
            if len(asked) == 3:
                return route.fulfill(status=503, json={"error": {"code": "SERVICE_UNAVAILABLE", "message": "busy"}})
            route.fallback()

        page.route("**/photos", busy)
        page.locator("#hide-picked").click()
        self.tells(page, "500 photos are done, and 2,500 are not, which stay selected.")
        self.says(page, "2,500 photos selected")
        self.expect(self.shown() == 2500, f"guests see {self.shown()}")
        page.locator(".notice.bad button").first.click()
        self.tells(page, "2,500 photos are hidden from guests.")
        self.expect(self.shown() == 0, f"guests see {self.shown()} photos at last")
        self.expect(max(asked) <= 500, f"requests were about {asked} photos")
        page.unroute("**/photos")
        page.locator("#end-picking").click()
        self.pages.console = [line for line in self.pages.console if "status of 503" not in line]

    def sorted(self, page):
        """What is found goes into an album, by which it is shown, and is deleted there."""
        page.locator("#search").fill("dance")
        self.pages.holds(page, f"{TILES} === 60 && document.querySelector('li[data-photo] .words') !== null")
        page.locator("#select").click()
        self.expect(page.locator("#pick-all").inner_text() == "All found", f"the button says {page.locator('#pick-all').inner_text()}")
        page.locator("#pick-all").click()
        self.says(page, f"{DANCING} photos selected")
        page.locator("#album-picked").click()
        page.locator("dialog[open] [name=name]").fill("Dancing")
        page.locator("dialog[open] .main").click()
        self.tells(page, f"{DANCING} photos are in “Dancing”.")
        albums = self.server.call("GET", f"{self.path}/albums")
        self.expect([album["photos"] for album in albums] == [DANCING], f"the albums hold {albums}")
        page.locator("#end-picking").click()
        page.locator("#search").fill("")
        # What is typed is looked for a moment later.
        self.pages.holds(page, "[...document.querySelectorAll('li[data-photo]')].some((tile) => parseInt(tile.dataset.photo, 16) % 5)")
        page.locator("#album-filter").select_option(label=f"Dancing ({DANCING})")
        self.pages.holds(page, f"{TILES} === 60 && [...document.querySelectorAll('li[data-photo]')].every((tile) => parseInt(tile.dataset.photo, 16) % 5 === 0)")
        page.locator("#select").click()
        page.locator("#pick-all").click()
        self.says(page, f"{DANCING} photos selected")
        page.locator("#delete-picked").click()
        words = page.locator("dialog[open] p").first.inner_text()
        self.expect(re.search(r"5\d\d of them are not shown", words), f"the question is: {words}")
        page.locator("dialog[open] .danger").click()
        self.tells(page, f"{DANCING} photos are deleted.")
        self.pages.holds(page, f"{TILES} === 0")
        counts = self.server.call("GET", self.path)["counts"]
        self.expect(counts["photos"] == PHOTOS - DANCING, f"{counts}")
        self.pages.shot(page, "bulk-deleted")

    def look(self):
        page = self.scrolled()
        self.selected(page)
        self.hidden(page)
        self.failed(page)
        self.sorted(page)
        page.context.close()
        # Of photos that are gone the browser may have asked for the picture just before.
        self.pages.console = [line for line in self.pages.console if not re.search(r"status of 404 .*/images/", line)]
        self.pages.quiet("thousands of photos at once")
