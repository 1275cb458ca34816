"""What a host makes an event look like, for tools/pages.py: colours, faces, the cover and the logo, and how guests see them."""
import os
import subprocess

# Some that would be unreadable as they are, on light or on dark.
ACCENTS = ("#ffd500", "#8a3b4a", "#00ff88", "#101010", "#ffffff")
COVER = "document.querySelector('.cover')"


class Look:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Dressed up"})
        pages.upload(4, self.event)
        self.address = f"{pages.base}/e/{self.event['slug']}"

    def change(self, wish):
        return self.server.call("PATCH", f"/events/{self.event['id']}", wish)

    def photos(self):
        return self.server.call("GET", f"/events/{self.event['id']}/photos?limit=60")["photos"]

    def picture(self, name, *orders):
        path = os.path.join(self.pages.folder, name)
        subprocess.run(["convert", *orders, path], check=True)
        return path

    def guest(self, size, dark=False, scripts=True, saves=False):
        page = self.pages.page(size, dark=dark, scripts=scripts)
        # A browser on a busy machine takes its network for a slow one, on which the thumb stays.
        network = f"{{ saveData: {str(saves).lower()}, effectiveType: '4g' }}"
        page.add_init_script(f"Object.defineProperty(navigator, 'connection', {{ value: {network} }})")
        page.goto(self.address, wait_until="load")
        return page

    # What is looked at

    def host(self):
        """Everything by the panel, and by a photo's own; what the server refuses is said beside the field."""
        page = self.pages.host_page(self.event)
        page.locator("#edit-look").click()
        panel = page.locator("dialog.look-panel")
        panel.locator("#look-form").wait_for()
        page.wait_for_timeout(300)
        self.pages.axe(page, "the panel for the look")
        self.pages.shot(page, "look-panel")
        fonts = page.evaluate("() => [...document.querySelectorAll('.face strong')].map((face) => getComputedStyle(face).fontFamily)")
        self.expect(len(set(fonts)) == 5, f"typefaces are not shown in their own faces: {fonts}")
        self.expect(panel.locator("[name=accent]").is_hidden(), "a colour is asked for that is not wanted")
        panel.get_by_label("A colour of its own").check()
        panel.locator("[name=accent]").fill("#ffd500")
        panel.locator("[name=theme]").select_option("dark")
        panel.locator(".face-mono input").press("Space")
        panel.locator("#look-form .main").click()
        panel.get_by_text("The look is saved.").wait_for()
        event = self.server.call("GET", f"/events/{self.event['id']}")
        told = [event[name] for name in ("accent", "theme", "typeface")]
        self.expect(told == ["#ffd500", "dark", "mono"], f"the look was saved as {told}")
        self.logo(page, panel)
        panel.get_by_role("button", name="Close").click()
        self.cover(page)
        # The browser notes what was refused.
        self.pages.console = [line for line in self.pages.console if "422" not in line]
        self.pages.quiet("the panel for the look")
        page.context.close()

    def logo(self, page, panel):
        panel.locator("#logo-form [name=logo]").set_input_files(self.picture("wide.png", "-size", "4097x2", "xc:red"))
        panel.locator("#logo-form .main").click()
        panel.locator("#logo-form .problem:not([hidden])").filter(has_text="4096").wait_for()
        self.pages.axe(page, "a logo that was refused")
        panel.locator("#logo-form [name=logo]").set_input_files(
            self.picture("logo.png", "-size", "800x300", "xc:none", "-fill", "#8a3b4a", "-draw", "circle 400,150 400,20"))
        panel.locator("#logo-form .main").click()
        panel.get_by_text("The logo is saved.").wait_for()
        self.pages.holds(page, "document.querySelector('.is-logo')?.naturalWidth === 512")

    def cover(self, page):
        page.locator("li[data-photo] .edit").last.click()
        page.locator("dialog[open] .use-as-cover").click()
        page.get_by_text("It is the cover.").wait_for()
        oldest = page.locator("li[data-photo]").last.get_attribute("data-photo")
        chosen = self.server.call("GET", f"/events/{self.event['id']}")["coverPhoto"]
        self.expect(chosen == oldest, "another photo than was chosen is the cover")

    def guests(self, size, name):
        """The cover keeps its place before and after it has come, is sharp where there is room, and goes with its photo."""
        page = self.guest(size)
        self.expect(page.locator("header .logo").is_visible(), "the logo is not in the header")
        self.pages.holds(page, f"{COVER}.complete && {COVER}.naturalWidth > 0")
        height = page.locator("header.title").bounding_box()["height"]
        # A phone of one pixel a pixel needs no more than the thumb.
        source = "dataset.screen" if size[0] > 600 else "getAttribute('src')"
        self.pages.holds(page, f"{COVER}.getAttribute('src') === {COVER}.{source}")
        self.expect(page.locator("header.title").bounding_box()["height"] == height, "the header has moved when its cover came")
        shifted, moved = page.evaluate("""() => new Promise((resolve) => {
          let sum = 0;
          const moved = [];
          new PerformanceObserver((list) => { for (const { hadRecentInput, value, sources } of list.getEntries()) if (!hadRecentInput) {
            sum += value;
            for (const { node, previousRect: from, currentRect: to } of sources) {
              moved.push(`${node?.outerHTML?.slice(0, 80) ?? node?.textContent}: ${from.x},${from.y} ${from.width}x${from.height} to ${to.x},${to.y} ${to.width}x${to.height}`);
            }
          } }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve([sum, moved]), 200);
        })""")
        self.expect(shifted < 0.02, f"the page has moved by {shifted:.3f} while it came: {moved}")
        self.expect(page.evaluate("() => getComputedStyle(document.body).fontFamily").startswith("ui-monospace"), "the typeface is another")
        self.pages.axe(page, "a guests' page with a look")
        self.pages.shot(page, name)
        return page

    def late(self):
        """The header is as high before its logo has come as it is with it."""
        page = self.pages.page((1280, 800))
        held = []
        page.route("**/logo/*", lambda route: held.append(route))
        page.goto(self.address, wait_until="domcontentloaded")
        self.pages.holds(page, "document.querySelector('.laid')")
        before = page.locator("header.title").bounding_box()["height"]
        self.expect(held and not page.evaluate("document.querySelector('header .logo').naturalWidth"), "the logo has come before it was let through")
        for route in held:
            route.continue_()
        self.pages.holds(page, "document.querySelector('header .logo').naturalWidth > 0")
        after = page.locator("header.title").bounding_box()["height"]
        self.expect(after == before, f"the header was {before} high, and is {after} with its logo")
        page.context.close()

    def dear(self):
        """Who saves data keeps the thumb, however large the cover is shown."""
        page = self.guest((1280, 800), saves=True)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        with page.expect_response(lambda response: "/cover.js" in response.url) as script:
            page.reload(wait_until="load")
        # Once it has run, it has asked for the picture if it ever does.
        page.evaluate("(script) => import(script)", script.value.url)
        large = page.evaluate(f"{COVER}.dataset.screen")
        self.expect(not any(url.endswith(large) for url in asked), "a large cover was loaded where data is dear")
        page.context.close()

    def goes(self, page):
        """A guest who looks sees the cover go in the moment in which its photo is hidden."""
        page.locator(".live:not([hidden])").wait_for()
        photo = page.locator(".cover").get_attribute("data-photo")
        self.server.call("PATCH", f"/photos/{photo}", {"hidden": True})
        self.pages.holds(page, f"!{COVER} && !document.querySelector('.has-cover')")
        self.server.call("PATCH", f"/photos/{photo}", {"hidden": False})
        self.pages.quiet("a cover that goes")
        page.context.close()

    def colours(self):
        """axe-core finds nothing unreadable, whatever was picked."""
        for accent in ACCENTS:
            self.change({"accent": accent, "theme": "auto", "typeface": "classic"})
            for dark in (False, True):
                page = self.guest((390, 844), dark)
                page.locator("#open-share").wait_for()
                self.pages.axe(page, f"the guests' page in {accent}, {'dark' if dark else 'light'}")
                page.context.close()
        for theme, ground in (("dark", "rgb(21, 18, 17)"), ("light", "rgb(250, 247, 242)")):
            self.change({"theme": theme})
            page = self.guest((390, 844), dark=theme == "light")
            shown = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
            self.expect(shown == ground, f"a page that is {theme} for all has a ground of {shown}")
            self.pages.axe(page, f"a page that is {theme} on a device that is not")
            page.context.close()

    def others(self):
        """The screen in the hall, the page that asks for the PIN, and a browser without scripts."""
        page = self.pages.page((1280, 800))
        page.goto(f"{self.address}/show", wait_until="load")
        self.expect(page.locator(".door .logo").is_visible(), "the screen in the hall has no logo")
        self.pages.axe(page, "the screen in the hall with a look")
        self.pages.shot(page, "look-show")
        page.context.close()
        page = self.guest((390, 844), scripts=False)
        self.expect(page.locator(".cover").is_visible() and page.locator("h1").is_visible(), "there is no cover without scripts")
        page.context.close()
        self.change({"pin": "24680"})
        page = self.pages.page((390, 844))
        page.goto(self.address, wait_until="load")
        self.expect(page.locator(".logo").is_visible() and page.locator(".cover").count() == 0, "the door shows another look than it may")
        self.pages.axe(page, "the page that asks for the PIN with a look")
        self.pages.shot(page, "look-door")
        self.pages.quiet("the door with a look")
        page.context.close()

    def look(self):
        self.host()
        self.goes(self.guests((1280, 800), "look-desk"))
        self.guests((390, 844), "look-phone").context.close()
        self.late()
        self.dear()
        self.colours()
        self.others()
