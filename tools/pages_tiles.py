"""Tiles of the guests' wall on screens with one pixel for one of CSS and with three, for tools/pages.py: which rendition a browser
takes for them, as it says itself."""

DESK = (1280, 800)
# Of every tile: what the browser took, how wide it is told that the tile is, and how wide it is.
SEEN = """() => [...document.querySelectorAll('.wall li img')].map((image) => [
  image.currentSrc.split('/').pop(), image.sizes, image.getBoundingClientRect().width, image.complete ? image.naturalWidth : 0])"""
# A browser whose guest has asked for less says so to servers and to scripts.
SPARING = "Object.defineProperty(navigator.connection, 'saveData', { get: () => true });"


class Tiles:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Sharp"})
        self.address = f"{pages.base}/e/{self.event['slug']}"

    def photos(self):
        return self.server.call("GET", f"/events/{self.event['id']}/photos")["photos"]

    def opened(self, pixels, scripts=True, **wishes):
        page = self.pages.page(DESK, scripts=scripts, device_scale_factor=pixels, **wishes)
        if "extra_http_headers" in wishes:
            page.add_init_script(SPARING)
        page.goto(self.address, wait_until="load")
        if scripts:
            self.pages.holds(page, "document.querySelector('.laid')")
        return page

    def takes(self, page, name, what):
        """Every tile shows that rendition, and it has come."""
        wanted = {photo[name] for photo in self.photos()}
        self.pages.until(lambda: {key for key, *_ in page.evaluate(SEEN)} == wanted and all(width for *_, width in page.evaluate(SEEN)),
                         f"{what}: tiles are shown as {name}")
        return page.evaluate(SEEN)

    def by_pixels(self):
        for pixels, name in ((1, "thumbKey"), (3, "tileKey")):
            for scripts in (False, True):
                what = f"{pixels} pixels for one{'' if scripts else ', without scripts'}"
                page = self.opened(pixels, scripts)
                seen = self.takes(page, name, what)
                if scripts:
                    # What the wall says of a tile's width is how wide it is.
                    off = max(abs(float(sizes.removesuffix("px")) - width) for _, sizes, width, _ in seen)
                    self.expect(off < 1, f"{what}: a tile is {off} pixels wider or narrower than its picture is told")
                    self.pages.upload(1, self.event)
                    self.pages.holds(page, f"document.querySelectorAll('.wall li').length === {len(self.photos())}")
                    self.takes(page, name, f"{what}, and a photo that came")
                    self.pages.shot(page, f"tiles-{pixels}")
                page.context.close()
        self.pages.quiet("tiles")

    def sparing(self):
        page = self.opened(3, extra_http_headers={"Save-Data": "on"})
        self.pages.upload(1, self.event)
        self.pages.holds(page, f"document.querySelectorAll('.wall li').length === {len(self.photos())}")
        self.takes(page, "thumbKey", "a guest who saves data")
        self.pages.quiet("a guest who saves data")
        page.context.close()

    def lost(self):
        """Where a tile cannot be had, the thumb is shown: before the scripts are there, and after."""
        page = self.pages.page(DESK, device_scale_factor=3)
        keys = {photo["tileKey"] for photo in self.photos()}
        page.route("**/images/*", lambda route: route.fulfill(status=404) if route.request.url.split("/")[-1] in keys else route.continue_())
        page.goto(self.address, wait_until="load")
        self.takes(page, "thumbKey", "tiles that are not there")
        # Each of them is said in the console.
        self.pages.console = [line for line in self.pages.console if "404" not in line]
        self.pages.quiet("tiles that are not there")
        page.context.close()

    def look(self):
        self.pages.upload(3, self.event)
        self.by_pixels()
        self.sparing()
        self.lost()
