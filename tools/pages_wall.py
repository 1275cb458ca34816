"""The guests' wall of an event of thousands of photos, for tools/pages.py: whatever one does, it holds the tiles that are seen."""
import bench_wall
import wall_rows

PHOTOS = 3000
# As wall.js says, and those around the one that has the focus.
MOST_TILES = 303
TABLET = (820, 1180)
PLACES = """() => Object.fromEntries([...document.querySelectorAll('.wall li, .hour h2')].map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [element.id || element.textContent, [x, y, width, height]];
}))"""
# How wide the wall is, is known late: a browser that has much to do draws its first frame after the list has come.
LATE_WIDTH = """window.ResizeObserver = class extends ResizeObserver {
  constructor(told) { super((...all) => setTimeout(() => told(...all), 1000)); }
}"""
# The first tile that is seen, and where.
FIRST = """() => { for (const item of document.querySelectorAll('.wall li')) {
  const { bottom, top } = item.getBoundingClientRect();
  if (bottom > 0) return [item.id, Math.round(top)];
} }"""
WHOLE = "document.querySelector('.laid') && document.querySelector('.wall').offsetHeight > 50000"


class Wall:
    def __init__(self, pages, expect):
        self.pages, self.expect = pages, expect
        # Hidden ones, which no part of the page counts.
        self.many = wall_rows.Event(pages, "wall", PHOTOS, hidden=0.02)
        self.server, self.ids = self.many.server, self.many.ids
        self.address = f"http://127.0.0.1:{self.server.port}/e/{self.server.event['slug']}"

    def close(self):
        self.many.close()

    def page(self, size, rest="", **wishes):
        page = self.pages.page(size, **wishes)
        page.goto(self.address + rest, wait_until="load")
        return page

    def whole(self, size, rest="", **wishes):
        page = self.page(size, rest, **wishes)
        self.pages.holds(page, WHOLE)
        return page

    def settled(self, page):
        bench_wall.settled(page, 15 * self.pages.patience)

    def number(self, page, text):
        self.pages.holds(page, f"document.querySelector('.place')?.textContent.startsWith('{text}')")

    # What is looked at

    def take_over(self, size):
        """What the server laid out stays where it is when the scripts take over."""
        plain = self.page(size, scripts=False)
        before = plain.evaluate(PLACES)
        plain.context.close()
        page = self.whole(size)
        after = page.evaluate(PLACES)
        common = [name for name in after if name in before and before[name][1] < size[1]]
        self.expect(len(common) > 5, f"{len(common)} tiles are where the server wrote them")
        off = max(max(abs(one - other) for one, other in zip(before[name], after[name])) for name in common)
        self.expect(off < 0.1, f"a tile moved by {off} pixels when the scripts took over")
        page.context.close()

    def end_to_end(self, size):
        page = self.whole(size)
        self.settled(page)
        told = bench_wall.scrolled(page, size[1] / 4, parts=2, patience=20 * self.pages.patience)
        self.expect(told["tiles"] <= MOST_TILES, f"{told['tiles']} tiles at once")
        self.expect(max(told["heaps"][1:]) < told["heaps"][0] + 12e6, f"the heap grew: {told['heaps']}")
        last = page.evaluate("() => document.querySelector('.wall .hour:last-of-type li:last-child').id")
        self.expect(last == self.ids[-1], "the last tile is not the oldest photo")
        listed = page.evaluate("() => { const item = document.querySelector('.wall .hour:last-of-type li:last-child');"
                               "return [item.ariaSetSize ?? item.getAttribute('aria-setsize'), item.getAttribute('aria-posinset')]; }")
        self.expect(listed[0] == listed[1] and int(listed[0]) > 1, f"the last of its hour says that it is {listed[1]} of {listed[0]}")
        # Whether the server or a script has made it.
        blurs = """(end) => {
          scrollTo(0, end);
          return [...document.querySelectorAll('.wall li[id]')].map((item) => getComputedStyle(item).getPropertyValue('--b').length > 64);
        }"""
        for end in (0, 1e9):
            page.evaluate(blurs, end)
            self.pages.until(lambda: (seen := page.evaluate(blurs, end)) and all(seen), "each tile with a photo has a blur")
        self.pages.quiet("the wall")
        page.context.close()
        return told

    def one_photo(self):
        """A link to any photo opens it, and one goes on from there to any other."""
        page = self.whole(bench_wall.DEVICES[2][1], f"#{self.ids[1500]}")
        total = f"{len(self.ids):,}"
        self.number(page, f"1,501 / {total}")
        page.keyboard.press("ArrowRight")
        self.number(page, f"1,502 / {total}")
        for _ in range(130):
            page.keyboard.press("ArrowLeft")
            page.wait_for_timeout(15)
        page.wait_for_timeout(300)
        here = page.evaluate("() => location.hash.slice(1)")
        self.number(page, f"{self.ids.index(here) + 1:,} / {total}")
        page.keyboard.press("End")
        self.number(page, f"{total} / {total}")
        page.keyboard.press("Home")
        self.number(page, f"1 / {total}")
        page.keyboard.press("End")
        self.number(page, f"{total} / {total}")
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="hidden")
        self.expect(page.evaluate("() => document.activeElement.closest('.wall li')?.id") == self.ids[-1], "the focus is not where one has come to")
        # The tile that has the focus stays, however far one scrolls, and one goes on from it.
        page.evaluate("scrollTo(0, 0)")
        self.settled(page)
        page.keyboard.press("Shift+Tab")
        self.expect(page.evaluate("() => document.activeElement.closest('.wall li')?.id") == self.ids[-2], "the focus was lost")
        gone = page.evaluate("() => document.activeElement.closest('.wall li').id")
        self.server.call("DELETE", f"/photos/{gone}")
        self.ids.remove(gone)
        self.pages.holds(page, f"document.activeElement.closest('.wall li')?.id === '{self.ids[-1]}'")
        self.pages.quiet("a photo by its address")
        page.context.close()

    def while_open(self):
        """Photos come and go while one looks at another: one goes on from where one is, and comes back to it."""
        page = self.whole(bench_wall.DEVICES[2][1], f"#{self.ids[40]}")
        page.locator(".live:not([hidden])").wait_for()
        self.number(page, "41 / ")

        def shows(index):
            self.pages.holds(page, f"location.hash === '#{self.ids[index]}'")

        self.server.call("PATCH", f"/photos/{self.ids[10]}", {"hidden": True})
        self.number(page, "40 / ")
        page.keyboard.press("ArrowRight")
        shows(41)
        for index in (40, 39):
            page.keyboard.press("ArrowLeft")
            shows(index)
        self.server.call("PATCH", f"/photos/{self.ids[10]}", {"hidden": False})
        self.number(page, "40 / ")
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="hidden")
        self.expect(page.evaluate("() => document.activeElement.closest('.wall li')?.id") == self.ids[39], "the focus is not where one has come to")
        # What one looks at is taken away: what stood beside it is seen.
        page.keyboard.press("Enter")
        # What it says of the number, it has said before.
        shows(39)
        self.number(page, "40 / ")
        self.server.call("PATCH", f"/photos/{self.ids[39]}", {"hidden": True})
        shows(40)
        self.number(page, "40 / ")
        self.server.call("PATCH", f"/photos/{self.ids[39]}", {"hidden": False})
        self.number(page, "41 / ")
        self.pages.quiet("photos that come and go while one is open")
        page.context.close()

    def return_to(self, late=False):
        page = self.pages.page(bench_wall.DEVICES[2][1])
        if late:
            page.add_init_script(LATE_WIDTH)
        page.goto(self.address, wait_until="load")
        self.pages.holds(page, WHOLE)
        page.evaluate("scrollTo(0, 70000)")
        self.settled(page)
        before = page.evaluate(FIRST)
        page.reload(wait_until="load")
        self.pages.until(lambda: page.evaluate(FIRST) == before, "a page that is loaded again is where it was")
        page.goto(f"http://127.0.0.1:{self.server.port}/host")
        page.go_back()
        self.pages.until(lambda: page.evaluate(FIRST) == before, "the way back leads to where one was")
        page.set_viewport_size({"width": 700, "height": 800})
        self.pages.holds(page, f"document.getElementById('{before[0]}')?.getBoundingClientRect().bottom > 0")
        page.context.close()

    def return_to_part(self):
        """Of few photos the page has them all at once."""
        page = self.page(bench_wall.DEVICES[2][1], "?q=Guest+15")
        self.pages.holds(page, "document.querySelector('.laid') && document.querySelector('.wall').offsetHeight > 2 * innerHeight")
        page.evaluate("scrollTo(0, 1200)")
        self.settled(page)
        before = page.evaluate(FIRST)
        self.expect(page.evaluate("scrollY") == 1200, "there are too few photos to scroll")
        page.reload(wait_until="load")
        self.pages.until(lambda: page.evaluate(FIRST) == before, "a page of few photos that is loaded again is where it was")
        page.context.close()

    def changes(self):
        """What is hidden or shown far from what is seen moves nothing, and is counted in the end."""
        page = self.whole(bench_wall.DEVICES[2][1])
        page.locator(".live:not([hidden])").wait_for()
        height = page.evaluate("() => document.querySelector('.wall').offsetHeight")
        page.evaluate("scrollTo(0, 70000)")
        self.settled(page)
        before = page.evaluate(FIRST)
        far = self.ids[1200:1230]
        for photo in far:
            self.server.call("PATCH", f"/photos/{photo}", {"hidden": True})
        self.pages.until(lambda: page.evaluate("() => document.querySelector('.wall').offsetHeight") < height, "hidden photos leave the wall", 20)
        after = page.evaluate(FIRST)
        self.expect(after == before, f"a photo that was hidden elsewhere moved what is seen: {before}, {after}")
        for photo in far:
            self.server.call("PATCH", f"/photos/{photo}", {"hidden": False})
        self.pages.until(lambda: page.evaluate("() => document.querySelector('.wall').offsetHeight") == height, "shown photos come back", 20)
        after = page.evaluate(FIRST)
        self.expect(after == before, f"a photo that was shown elsewhere moved what is seen: {before}, {after}")
        self.pages.quiet("changes far away")
        page.context.close()

    def without_connection(self):
        page = self.whole(bench_wall.DEVICES[2][1])
        page.context.set_offline(True)
        page.evaluate("scrollTo(0, 100000)")
        page.get_by_text("No connection. Trying again").wait_for()
        page.context.set_offline(False)
        self.settled(page)
        page.context.close()
        # Without a timeline photos come page by page.
        page = self.pages.page(bench_wall.DEVICES[2][1])
        page.route("**/timeline?*", lambda route: route.abort())
        page.goto(self.address, wait_until="load")
        self.pages.holds(page, "document.querySelector('.laid')")
        for _ in range(12):
            page.mouse.wheel(0, 3000)
            page.wait_for_timeout(150)
        self.pages.holds(page, "document.querySelector('.wall').offsetHeight > 10000")
        self.expect(page.locator(".wall li").count() <= MOST_TILES, "without a timeline the wall holds too many tiles")
        page.context.close()
        self.pages.console = [line for line in self.pages.console if "net::ERR_" not in line]

    def hours(self):
        page = self.whole(TABLET)
        slider = page.get_by_role("slider", name="Hour")
        page.evaluate("scrollBy(0, 10)")
        slider.focus()
        for key, word in (("End", "14:00, 21 November 2026"), ("ArrowUp", "15:00, 21 November 2026"), ("Home", "23:00, 21 November 2026")):
            page.keyboard.press(key)
            self.pages.holds(page, f"document.querySelector('.scrubber').getAttribute('aria-valuetext') === '{word}'")
        handle = page.locator(".handle").bounding_box()
        page.mouse.move(handle["x"] + 8, handle["y"] + 20)
        page.mouse.down()
        page.mouse.move(handle["x"] + 8, TABLET[1] / 2, steps=8)
        self.pages.shot(page, "wall-scrubber")
        page.mouse.up()
        self.settled(page)
        middle = page.evaluate("() => scrollY / (document.querySelector('.wall').offsetHeight - innerHeight)")
        self.expect(0.4 < middle < 0.6, f"the handle was drawn to the middle, and the page is at {middle:.2f}")
        self.pages.axe(page, "the wall")
        self.pages.shot(page, "wall-tablet")
        # A search has hours as well, and holds no more.
        page.fill("[name=q]", "Guest")
        self.pages.holds(page, "document.querySelector('#status').textContent.includes('and more found')")
        for _ in range(40):
            page.mouse.wheel(0, 4000)
            page.wait_for_timeout(60)
        self.settled(page)
        self.expect(page.locator(".wall li").count() <= MOST_TILES, "a search holds too many tiles")
        self.expect(page.evaluate("() => document.querySelectorAll('.hour h2').length > 0"), "a search has no hours")
        self.expect(page.evaluate("() => document.querySelector('.wall').offsetHeight > 20000"), "a search ends too soon")
        self.pages.quiet("the hours")
        page.context.close()

    def zoom(self):
        page = self.whole(bench_wall.DEVICES[2][1], f"#{self.ids[5]}")
        self.number(page, "6 / ")
        scale = "() => new DOMMatrix(getComputedStyle(document.querySelector('.stage img')).transform)"
        page.mouse.move(300, 300)
        page.mouse.wheel(0, -600)
        self.pages.holds(page, f"({scale})().a > 3")
        self.pages.shot(page, "zoom-desk")
        page.mouse.down()
        page.mouse.move(4000, 300, steps=4)
        page.mouse.up()
        edge = page.evaluate("() => document.querySelector('.stage img').getBoundingClientRect().left")
        self.expect(edge <= 0, "the picture was drawn beyond its edge")
        page.keyboard.press("ArrowRight")
        self.expect(page.evaluate("() => location.hash.slice(1)") == self.ids[5], "a key that moves the picture turned to another")
        page.keyboard.press("0")
        self.pages.holds(page, f"({scale})().isIdentity")
        page.keyboard.press("ArrowRight")
        self.number(page, "7 / ")
        # What is not there yet is not made larger.
        self.pages.holds(page, "document.querySelector('.stage img').naturalWidth > 0")
        page.mouse.dblclick(640, 400)
        self.pages.holds(page, f"({scale})().a === 2.5")
        page.keyboard.press("Escape")
        page.context.close()
        self.pinch()

    def pinch(self):
        page = self.whole((390, 844), f"#{self.ids[5]}")
        self.number(page, "6 / ")
        session = page.context.new_cdp_session(page)

        def touch(kind, *points):
            session.send("Input.dispatchTouchEvent", {
                "type": kind, "touchPoints": [{"x": x, "y": y, "id": place} for place, (x, y) in enumerate(points)]})

        def drawn(xs, y=400, step=0):
            touch("touchStart", *[(x, y) for x in xs])
            for place in range(1, 11):
                touch("touchMove", *[(x + step * place * (-1 if index == 0 and len(xs) > 1 else 1), y) for index, x in enumerate(xs)])
            touch("touchEnd")

        scale = "new DOMMatrix(getComputedStyle(document.querySelector('.stage img')).transform)"
        drawn([150, 240], step=8)
        self.pages.holds(page, f"{scale}.a > 2")
        drawn([250], step=-12)
        self.expect(page.evaluate("() => location.hash.slice(1)") == self.ids[5], "a finger that moves the picture turned to another")
        for _ in range(2):
            touch("touchStart", (200, 400))
            touch("touchEnd")
        self.pages.holds(page, f"{scale}.isIdentity")
        page.wait_for_timeout(400)
        drawn([300], step=-15)
        self.number(page, "7 / ")
        self.pages.quiet("a picture that is made larger")
        page.context.close()

    def look(self):
        for size in ((390, 844), TABLET, (1280, 800)):
            self.take_over(size)
        told = self.end_to_end((390, 844))
        print(f"pages: wall: {PHOTOS} photos from end to end: frames of {told['median']:.0f} ms at the median, {told['tiles']} tiles, "
              f"heap {', '.join(f'{heap / 1e6:.1f}' for heap in told['heaps'])} MB")
        self.hours()
        self.one_photo()
        self.while_open()
        self.return_to()
        self.return_to(late=True)
        self.return_to_part()
        self.changes()
        self.without_connection()
        self.zoom()
        dark = self.whole((390, 844), dark=True)
        dark.evaluate("scrollTo(0, 30000)")
        self.settled(dark)
        self.pages.axe(dark, "the wall, dark")
        self.pages.shot(dark, "wall-dark")
        dark.context.close()
