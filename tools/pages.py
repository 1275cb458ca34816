#!/usr/bin/env python3
"""Looks at the gallery's pages with a real browser, headless Chromium: what guests and hosts see and do.

    tools/pages.py [--shots FOLDER]     screenshots at the sizes of a phone and a desk go there, to be looked at
    tools/pages.py --nodes 2            the same of nodes behind nginx, on PostgreSQL and SeaweedFS

It starts a gallery of its own, uploads photos by the contract, and fails with a sentence when a page does not do what it should, writes
anything to the browser's console, is larger than its budget, or slower.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
import zipfile

sys.dont_write_bytecode = True
import accessibility
import bench_gallery as parts
import browsing
import pages_bulk
import pages_door
import pages_export
import pages_guestupload
import pages_hearts
import pages_hosting
import pages_languages
import pages_look
import pages_nodes
import pages_picks
import pages_sections
import pages_share
import pages_sizes
import pages_tabs
import pages_tiles
import pages_upload
import pages_video
import pages_wall

# What is seen first, and all that the page loads after it; before anything is compressed.
BUDGET, WHOLE_BUDGET = 60_000, 100_000
PHONE, DESK = (390, 844), (1280, 800)
PIN = "24680"


class Wrong(Exception):
    pass


def expect(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def steps_of(frames):
    """Which steps of a walk those are: it may wait for the same words more than once."""
    own = os.path.dirname(os.path.abspath(__file__))
    steps = [frame for frame in frames if os.path.dirname(os.path.abspath(frame.filename)) == own]
    return " > ".join(f"{step.name}:{step.lineno}" for step in steps if step.name not in ("<module>", "main", "expect", "until", "<lambda>"))


def tell_where_it_ends(server, folder):
    """What a page never answers has no deadline: a program that ends this one learns at which step that was."""
    import greenlet
    walking = greenlet.getcurrent()

    def end(number, frame):
        try:
            steps = steps_of(traceback.extract_stack(walking.gr_frame or frame))
            os.write(2, f"pages: ended at {steps}\n".encode())
            server.kill()
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)


class Pages:
    def __init__(self, browser, server, folder, shots, patience):
        self.browser, self.server, self.folder, self.shots = browser, server, folder, shots
        # How many times as long is waited, where other programs run beside it.
        self.patience = patience
        # A guest's first thumbs; beside other programs ten times as long, as for every bound of speed.
        self.soon = 1 if patience == 1 else 10
        self.base = f"http://127.0.0.1:{server.port}"
        self.console = []
        self.made = 0

    # Photos

    def upload(self, count=1, event=None):
        """So many new pictures, and waits until they are photos."""
        event = event or self.server.event
        path = os.path.join(self.folder, "picture.jpg")
        before = self.server.call("GET", f"/events/{event['id']}")["counts"]["photos"]
        for _ in range(count):
            self.made += 1
            size = ("900x600", "600x900", "800x600", "1000x560")[self.made % 4]
            subprocess.run(["convert", "-size", size, "-seed", str(self.made), "plasma:", "-quality", "82", path], check=True)
            with open(path, "rb") as file:
                self.put(file.read(), "image/jpeg", event)
        self.until(lambda: self.server.call("GET", f"/events/{event['id']}")["counts"]["photos"] >= before + count,
                   "uploads become photos")

    def put(self, content, kind, event, **more):
        was, self.server.event = self.server.event, event
        place = parts.put(self.server, content, kind, **more)
        self.server.event = was
        # A store tells nodes of nothing: they look when they are asked.
        self.server.call("GET", f"/uploads/status?ids={place['uploadId']}")

    def until(self, holds, what, limit=15):
        end = time.monotonic() + limit * self.patience
        while not holds():
            expect(time.monotonic() < end, f"{what}: not within {limit * self.patience} s")
            time.sleep(0.05)

    # The browser

    def page(self, size=PHONE, dark=False, scripts=True, **wishes):
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light",
            java_script_enabled=scripts, has_touch=size == PHONE, is_mobile=size == PHONE, **wishes)
        return self.tab(context)

    def tab(self, context):
        page = context.new_page()
        page.set_default_timeout(10_000 * self.patience)
        page.on("console", lambda message: self.console.append(f"{message.type}: {message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self.console.append(f"error: {error}"))
        return page

    def shot(self, page, name):
        if self.shots:
            page.screenshot(path=os.path.join(self.shots, f"{name}.png"))

    def holds(self, page, script):
        """Waits until it is so. Asked from outside, because the page's policy lets no script evaluate anything inside."""
        self.until(lambda: page.evaluate(f"() => Boolean({script})"), script, 10)

    def quiet(self, what):
        expect(not self.console, f"{what}: the browser's console says {self.console[:3]}")

    # What is looked at

    def first_look(self):
        """A guest's first visit: the page, its parts, and how long its first thumb took."""
        page = self.page()
        parts = []
        page.on("response", lambda response: parts.append(response))
        began = time.monotonic()
        page.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="load")
        self.holds(page, "document.querySelector('.wall img')?.complete && document.querySelector('.wall img').naturalWidth > 0")
        return page, parts, time.monotonic() - began

    def sizes_of(self, parts):
        kinds = r"text/html|text/css|javascript"
        return {part.url: len(part.body()) for part in parts if re.search(kinds, part.headers.get("content-type", ""))}

    def guests(self):
        page, loaded, took = self.first_look()
        for _ in range(2):
            if took < self.soon:
                break
            # Another program may have had the processors for a moment; three of three would be us.
            page.context.close()
            page, loaded, took = self.first_look()
        expect(took < self.soon, f"the first thumbs took {took:.2f} s, three times")
        expect(page.locator(".wall li").count() == 12, f"{page.locator('.wall li').count()} tiles for 12 photos")
        sizes = self.sizes_of(loaded)
        first = sum(size for url, size in sizes.items() if not url.endswith(".js") or url.endswith("/start.js"))
        expect(first < BUDGET, f"what is seen first has {first} bytes: {sizes}")
        self.holds(page, "document.querySelector('dialog.box')")
        sizes = self.sizes_of(loaded)
        expect(sum(sizes.values()) < WHOLE_BUDGET, f"the page has {sum(sizes.values())} bytes: {sizes}")
        self.shot(page, "guests-phone")
        newest = page.locator(".wall li").first.get_attribute("id")
        self.upload(1)
        self.holds(page, f"document.querySelector('.wall li').id !== '{newest}'")
        expect(page.locator(".wall li").count() == 13, "the photo that came is not on the page")
        expect("13 photos" in page.locator("#count").inner_text(), "the count does not count")
        # A guest who has scrolled down is told, and not moved.
        page.evaluate("scrollTo(0, 600)")
        page.wait_for_timeout(200)
        self.upload(2)
        page.locator(".pill").wait_for()
        expect(page.evaluate("scrollY") > 300, "a new photo moved the page")
        self.shot(page, "guests-pill")
        page.locator(".pill").click()
        self.holds(page, "document.querySelectorAll('.wall li').length === 15")
        self.quiet("the guests' page")
        print(f"pages: guests: {first} bytes, {sum(sizes.values())} with all scripts, first thumbs after {took * 1000:.0f} ms")
        page.context.close()

    def blurred(self):
        """Photos that do not come are shown by their colours: those that stand in the page, also where scripts make their tiles anew, and
        one that has just arrived. Where one is not there at all, its words stand on one colour."""
        page = self.page()
        held = []
        page.route("**/images/**", lambda request: held.append(request))
        page.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="domcontentloaded")
        self.sees_colours(page, "a photo that stands in the page")
        # The page itself never stands without them: what a guest does has its scripts loaded.
        page.keyboard.press("Shift")
        self.holds(page, "document.querySelector('.laid')")
        newest = page.locator(".wall li").first.get_attribute("id")
        # So small that the first tiles are taken away where the last are seen.
        page.set_viewport_size({"width": PHONE[0], "height": 300})
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        self.holds(page, f"!document.getElementById('{newest}')")
        page.evaluate("scrollTo(0, 0)")
        self.holds(page, f"document.getElementById('{newest}')")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        self.sees_colours(page, "a photo whose tile is made anew")
        self.upload(1)
        self.holds(page, f"document.querySelector('.wall li').id !== '{newest}'")
        page.wait_for_timeout(600)
        self.sees_colours(page, "a photo that has arrived")
        self.shot(page, "guests-blurred")
        ground = "getComputedStyle(document.querySelector('.wall img')).backgroundImage"
        expect(page.evaluate(ground) != "none", "a photo that is still to come has no blur")

        def is_plain():
            # The larger picture first, and then the thumb.
            while held:
                held.pop().abort()
            return page.evaluate(ground) == "none"

        self.until(is_plain, "the words of a photo that is not there stand on one colour", 10)
        page.unroute("**/images/**")
        page.evaluate("dispatchEvent(new Event('online'))")
        self.holds(page, f"document.querySelector('.wall img').naturalWidth > 0 && {ground} !== 'none'")
        page.context.close()
        # What has been let go is said in the console, by the browser's own sentence.
        self.console = [line for line in self.console if "net::ERR_FAILED" not in line]
        self.quiet("photos that do not come")
        self.server.call("DELETE", f"/photos/{self.photos()[0]['id']}")

    def sees_colours(self, page, what):
        """The first tile has the colours of its photo in its quarters, as far as a blur can have them."""
        tile = page.locator(".wall li").first
        listed = self.server.call("GET", f"/e/{self.server.event['slug']}/photos?limit=1")["photos"][0]
        expect(listed["id"] == tile.get_attribute("id"), f"{what}: the first tile is not the newest photo")
        with urllib.request.urlopen(self.base + listed["thumbUrl"]) as answer:
            wanted = self.quarters(answer.read(), [])
        box = tile.bounding_box()
        crop = ["-crop", f"{box['width']:.0f}x{box['height']:.0f}+{box['x']:.0f}+{box['y']:.0f}", "+repage"]
        apart = lambda: max(abs(one - other) for one, other in zip(self.quarters(page.screenshot(), crop), wanted))
        self.until(lambda: apart() < 40, f"{what} has the colours of its picture, to 40 of 255", 10)
        expect(page.evaluate("document.querySelector('.wall img').naturalWidth") == 0, f"{what}: it has come")

    def quarters(self, picture, options):
        words = ["convert", "-", *options, "-colorspace", "sRGB", "-filter", "Box", "-resize", "2x2!", "-depth", "8", "rgb:-"]
        return list(subprocess.run(words, input=picture, check=True, capture_output=True).stdout)

    def lightbox(self):
        page = self.page(DESK)
        page.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="load")
        self.shot(page, "guests-desk")
        second = page.locator(".wall li:nth-child(2) > a").first
        second.focus()
        page.keyboard.press("Enter")
        page.locator("dialog.box[open]").wait_for()
        shown = page.locator("dialog.box .stage img").first
        self.holds(page, "document.querySelector('dialog.box .stage img').naturalWidth > 0")
        first = shown.get_attribute("src")
        self.shot(page, "lightbox-desk")
        page.keyboard.press("ArrowRight")
        self.holds(page, f"document.querySelector('dialog.box .stage img').getAttribute('src') !== '{first}'")
        page.keyboard.press("Tab")
        expect(page.evaluate("document.activeElement.closest('dialog') !== null"), "the focus left the lightbox")
        # As WebKit does by itself now and then.
        page.evaluate("document.activeElement.blur()")
        self.holds(page, "document.activeElement.matches('dialog.box')")
        # One comes meanwhile, above the photo on show.
        number = int(page.locator(".place").inner_text().split(" ")[0])
        here = page.evaluate("location.hash.slice(1)")
        self.upload(1)
        self.holds(page, f"document.querySelector('.place').textContent.startsWith('{number + 1} ')")
        page.keyboard.press("ArrowLeft")
        self.holds(page, f"document.querySelector('.place').textContent.startsWith('{number} ')")
        page.keyboard.press("ArrowRight")
        self.holds(page, f"location.hash === '#{here}'")
        self.words_change(page, here)
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="hidden")
        expect(page.evaluate("document.activeElement.closest('.wall li')?.id") == here, "the focus did not come back to the photo")
        self.server.call("DELETE", f"/photos/{self.photos()[0]['id']}")
        self.holds(page, "document.querySelectorAll('.wall li').length === 15")
        self.quiet("the lightbox")
        page.context.close()

    def words_change(self, page, photo):
        """What the host writes of the photo on show is read at once; nothing else of it moves."""
        place = "[document.querySelector('dialog.box .stage img').style.transform, document.activeElement.textContent]"
        said = "document.querySelector('dialog.box .caption').textContent"
        change = lambda **words: self.server.call("PATCH", f"/photos/{photo}", words)
        change(tags=["early", "late"])
        page.locator("dialog.box .tags a").nth(1).focus()
        page.keyboard.press("+")
        before = page.evaluate(place)
        change(caption="Just <b>now</b>")
        self.holds(page, f"{said} === 'Just <b>now</b>' && document.querySelector('dialog.box .stage img').alt === 'Just <b>now</b>'")
        expect(before[0] and page.evaluate(place) == before, f"a photo whose words change is at {page.evaluate(place)}, not {before}")
        change(caption="", tags=[])
        self.holds(page, f"!{said} && document.activeElement.matches('dialog.box')")
        page.keyboard.press("0")

    def search(self):
        photo = self.server.call("GET", f"/events/{self.server.event['id']}/photos?limit=200")["photos"][3]
        self.server.call("PATCH", f"/photos/{photo['id']}", {"caption": "The cake <b>& more</b>", "tags": ["dessert"]})
        page = self.page()
        page.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="load")
        for words in ("cake", "dessert"):
            page.fill("[name=q]", words)
            self.holds(page, "document.querySelectorAll('.wall li').length === 1")
            expect(page.locator(".wall li").first.get_attribute("id") == photo["id"], f"'{words}' found another photo")
        self.shot(page, "search-phone")
        self.written_words(photo["id"])
        page.fill("[name=q]", "zebra")
        self.holds(page, "document.querySelectorAll('.wall li').length === 0")
        expect(page.locator("b", has_text="more").count() == 0, "a caption became markup")
        self.quiet("the search")
        page.context.close()

    def written_words(self, photo):
        """A photo that stands in the page as the server wrote it is opened with its words and its tags."""
        self.server.call("PATCH", f"/photos/{photo}", {"tags": ["dessert", "a \"b\" & <c>"]})
        page = self.page()
        page.goto(f"{self.base}/e/{self.server.event['slug']}#{photo}", wait_until="load")
        page.locator("dialog.box[open] .tags a").nth(1).wait_for()
        said = page.locator("dialog.box .tags a").all_inner_texts()
        expect([tag.strip("# ") for tag in said] == ["dessert", 'a "b" & <c>'], f"the tags of a photo are {said}")
        page.context.close()
        self.server.call("PATCH", f"/photos/{photo}", {"tags": ["dessert"]})

    def share(self):
        page = self.page(DESK)
        page.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="load")
        page.click("#open-share")
        page.locator("#share svg, #share img").first.wait_for()
        page.wait_for_timeout(400)
        path = os.path.join(self.folder, "share.png")
        page.screenshot(path=path)
        self.shot(page, "share-desk")
        read = subprocess.run(["zbarimg", "-q", "--raw", path], capture_output=True, text=True).stdout.strip()
        expect(read == self.server.event["guestUrl"], f"the code says '{read}', not {self.server.event['guestUrl']}")
        self.quiet("sharing")
        page.context.close()

    def without_scripts(self):
        page = self.page(scripts=False)
        page.goto(f"{self.base}/e/{self.server.event['slug']}")
        expect(page.locator(".wall li a img").count() == 15, "without JavaScript there is no list")
        href = page.locator(".wall li > a").first.get_attribute("href")
        expect(page.request.get(self.base + href).status == 200, "without JavaScript a thumb leads nowhere")
        page.fill("[name=q]", "cake")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=cake**")
        expect(page.locator(".wall li").count() == 1, "without JavaScript the search finds nothing")
        self.shot(page, "without-scripts")
        page.context.close()

    def pin(self):
        event = self.server.call("POST", "/events", {"name": "Behind a PIN", "pin": PIN})
        page = self.page()
        page.goto(f"{self.base}/e/{event['slug']}")
        self.shot(page, "pin-phone")
        page.fill("[name=pin]", "1111")
        page.click("button.main")
        page.get_by_role("alert").wait_for()
        page.fill("[name=pin]", PIN)
        page.click("button.main")
        page.locator("#photos").wait_for()
        expect(page.url == f"{self.base}/e/{event['slug']}", f"the PIN leads to {page.url}")
        self.upload(1, event)
        self.holds(page, "document.querySelector('.wall img')?.naturalWidth > 0")
        self.shot(page, "empty-then-one")
        # The host changes the PIN: a guest who looks is asked for the new one, without doing anything.
        self.server.call("PATCH", f"/events/{event['id']}", {"pin": "97531"})
        page.locator("[name=pin]").wait_for()
        # The answers that say no are said in the console; nothing else is.
        self.console = [line for line in self.console if "401" not in line and "403" not in line]
        self.quiet("the PIN's page")
        page.context.close()
        dark = self.page(DESK, dark=True)
        dark.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="load")
        dark.wait_for_timeout(300)
        self.shot(dark, "guests-dark")
        dark.context.close()
        pages_door.Door(self, expect).look()

    def host_page(self, event=None, size=DESK):
        page = self.page(size)
        page.goto(f"{self.base}/host")
        self.shot(page, "host-login")
        self.log_in(page, parts.PASSWORD)
        link = page.locator(f"a[href='#event/{(event or self.server.event)['id']}']").first
        link.wait_for()
        self.shot(page, "host-events")
        link.click()
        return page

    def host(self):
        self.upload(15 - len(self.photos()))
        guest = self.page()
        guest.goto(f"{self.base}/e/{self.server.event['slug']}", wait_until="load")
        page = self.host_page()
        page.locator("li[data-photo]").nth(14).wait_for()
        expect(page.locator("[data-count=photos]").first.inner_text().strip().startswith("15"), "the host's count is wrong")
        page.wait_for_timeout(400)
        self.shot(page, "host-event")
        tile = page.locator("li[data-photo]").first
        photo = tile.get_attribute("data-photo")
        tile.locator(".hide").click()
        self.holds(guest, f"!document.getElementById('{photo}')")
        page.locator("li[data-photo]").nth(1).locator(".delete").click()
        page.locator("dialog[open] .danger").click()
        self.holds(page, "document.querySelectorAll('li[data-photo]').length === 14")
        self.upload(1)
        self.holds(page, "document.querySelectorAll('li[data-photo]').length === 15")
        self.holds(guest, "document.querySelectorAll('.wall li').length === 14")
        self.downloads(page)
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.wait_for_timeout(300)
        self.shot(page, "host-phone")
        self.quiet("the host's page")
        page.context.close()
        guest.context.close()
        self.refused_pictures()

    def refused_pictures(self):
        """A picture that is refused is asked for once more, with a cookie that is asked for before, and then let be."""
        asked = {}

        def refuse(request):
            asked[request.request.url] = asked.get(request.request.url, 0) + 1
            request.fulfill(status=403)

        page = self.page(DESK)
        page.route("**/images/**", refuse)
        page.goto(f"{self.base}/host")
        self.log_in(page, parts.PASSWORD)
        page.locator(f"a[href='#event/{self.server.event['id']}']").first.click()
        page.locator("li[data-photo]").nth(14).wait_for()
        # Those in sight, and after so many that are refused no other is asked for again.
        self.until(lambda: page.evaluate("true") and 2 in asked.values(), "a refused picture is asked for again")
        page.wait_for_timeout(1500)
        expect(max(asked.values()) == 2, f"refused pictures are asked for so often: {sorted(asked.values())}")
        self.console = [line for line in self.console if "403" not in line]
        self.quiet("pictures that are refused")
        page.context.close()

    def downloads(self, page):
        """A download that is refused is said on the page, and does not take its place."""
        address = page.url
        page.route("**/zip?*", lambda route: route.fulfill(status=503, headers={"Retry-After": "40"}))
        page.locator("#download-all").click()
        self.holds(page, "document.getElementById('notices').textContent.includes('Try again in 40 seconds')")
        page.unroute("**/zip?*")
        expect(page.url == address and page.locator("#download-all").is_visible(), f"a refused download leads to {page.url}")
        with page.expect_download() as saved:
            page.locator(".notice.bad button").first.click()
        with zipfile.ZipFile(saved.value.path()) as archive:
            expect(archive.testzip() is None, "everything comes as a damaged archive")
        self.console = [line for line in self.console if "status of 503" not in line]

    def many(self):
        """A host searches, picks many photos with mouse, keys and fingers, and hides, tags and deletes them; failed uploads go."""
        self.upload(max(0, 12 - len(self.photos())))
        for photo in self.photos():
            if photo["hidden"]:
                self.server.call("PATCH", f"/photos/{photo['id']}", {"hidden": False})
        page = self.host_page()
        tiles = page.locator("li[data-photo] .edit")
        tiles.nth(11).wait_for()
        shown = lambda: len(self.server.call("GET", f"/e/{self.server.event['slug']}/photos?limit=200")["photos"])
        said = page.locator(".picking [role=status]")
        before = shown()
        page.locator("#select").click()
        tiles.nth(0).click()
        tiles.nth(3).click(modifiers=["Shift"])
        tiles.nth(1).click()
        expect(said.inner_text() == "3 photos selected", f"the bar says: {said.inner_text()}")
        page.wait_for_timeout(300)
        self.shot(page, "host-picking")
        self.axe(page, "the host's page while photos are picked")
        with page.expect_download() as saved:
            page.locator("#download-picked").click()
        with zipfile.ZipFile(saved.value.path()) as archive:
            expect(len(archive.namelist()) == 3 and archive.testzip() is None, f"the selection comes as {archive.namelist()}")
        page.locator("#hide-picked").click()
        self.until(lambda: shown() == before - 3, "three photos are hidden from guests")
        self.holds(page, "document.querySelectorAll('.is-hidden.is-picked').length === 3")
        page.locator(".undo").click()
        self.until(lambda: shown() == before, "they are shown again")
        page.locator("#tag-picked").click()
        page.locator("dialog[open] [name=addTags]").fill("best, dancing floor")
        page.locator("dialog[open] .main").click()
        self.until(lambda: sum("dancing floor" in photo["tags"] for photo in self.photos()) == 3, "three photos are tagged")
        for words in ("Best of all", None):
            page.locator("#album-picked").click()
            if words:
                page.locator("dialog[open] [name=name]").fill(words)
                self.axe(page, "the choice of an album")
                page.locator("dialog[open] .main").click()
            else:
                page.locator("#leave-album").click()
            page.locator("dialog[open]").wait_for(state="detached")
            held = self.server.call("GET", f"/events/{self.server.event['id']}/albums")[0]["photos"]
            expect(held == (3 if words else 0), f"the album holds {held} photos")
        page.locator("#hide-picked").click()
        self.until(lambda: shown() == before - 3, "three photos are hidden once more")
        # Keys alone: the search, a photo, the next ones by Shift, and all by Ctrl+A.
        page.locator("#select").press("Enter")
        expect(page.locator(".picking").is_hidden(), "the bar stays after the selection has ended")
        page.locator("#search").fill("ncing fl")
        self.holds(page, "document.querySelectorAll('li[data-photo]').length === 3")
        page.locator("#search").fill("nowhere to be found")
        self.holds(page, "document.querySelectorAll('li[data-photo]').length === 0")
        self.shot(page, "host-nothing-found")
        page.locator("#search").fill("best")
        self.holds(page, "document.querySelectorAll('li[data-photo]').length === 3")
        page.locator("#select").press("Enter")
        tiles.nth(0).press("Space")
        expect(tiles.nth(0).get_attribute("aria-pressed") == "true", "Space picks no photo")
        tiles.nth(0).press("Control+a")
        expect(said.inner_text() == "3 photos selected", f"after Ctrl+A the bar says: {said.inner_text()}")
        page.locator("#delete-picked").press("Enter")
        page.locator("dialog[open] .danger").press("Enter")
        self.holds(page, "document.querySelectorAll('li[data-photo]').length === 0")
        expect(len(self.photos()) == before - 3, "not exactly those that were picked are deleted")
        page.locator("#end-picking").press("Escape")
        page.locator("#search").fill("")
        self.holds(page, f"document.querySelectorAll('li[data-photo]').length === {before - 3}")
        self.quiet("the host's page with many photos")
        self.many_by_touch(page)
        self.dismissals(page)
        page.context.close()

    def many_by_touch(self, desk):
        page = self.tab(self.browser.new_context(
            viewport={"width": PHONE[0], "height": PHONE[1]}, has_touch=True, is_mobile=True, color_scheme="dark"))
        page.goto(f"{self.base}/host")
        self.log_in(page, parts.PASSWORD)
        page.locator(f"a[href='#event/{self.server.event['id']}']").first.tap()
        tiles = page.locator("li[data-photo] .edit")
        tiles.nth(2).wait_for()
        page.locator("#select").tap()
        tiles.nth(0).tap()
        tiles.nth(1).tap()
        page.wait_for_timeout(300)
        self.shot(page, "host-picking-phone")
        self.axe(page, "the same on a phone, dark")
        page.locator("#hide-picked").tap()
        self.holds(desk, "document.querySelectorAll('.is-hidden').length === 2")
        page.locator("#show-picked").tap()
        self.holds(desk, "document.querySelectorAll('.is-hidden').length === 0")
        page.context.close()

    def dismissals(self, page):
        counts = lambda: self.server.call("GET", f"/events/{self.server.event['id']}")["counts"]["failed"]
        for number in range(3):
            self.put(b"no picture %d" % number, "image/jpeg", self.server.event)
        self.until(lambda: counts() == 3, "uploads fail")
        page.locator(".failures li").nth(2).wait_for()
        page.wait_for_timeout(300)
        self.shot(page, "host-failures")
        self.axe(page, "the host's page with failed uploads")
        page.locator(".failures .dismiss").first.click()
        self.holds(page, "document.querySelectorAll('.failures li').length === 2")
        page.locator("#dismiss-all").click()
        page.locator("dialog[open] .danger").click()
        self.until(lambda: counts() == 0, "all are dismissed")
        self.holds(page, "document.querySelector('.failures').closest('section').hidden")
        self.quiet("the host's page with failed uploads")

    def reset(self):
        """A host's page comes back to a server that does not remember what the page has heard last, after much has changed."""
        target = f"/events/{self.server.event['id']}/live"
        page = self.host_page()
        heard = []
        page.on("request", lambda request: request.url.endswith("/live") and heard.append(request.headers.get("last-event-id")))
        page.locator("li[data-photo]").first.wait_for()
        page.locator(".live-state.is-open").wait_for()
        count = page.locator("li[data-photo]").count()
        self.upload(1)
        self.holds(page, f"document.querySelectorAll('li[data-photo]').length === {count + 1}")
        gone, hidden, named = [photo["id"] for photo in self.photos()[:3]]
        # A picture that is still on its way would be asked for again, after its photo is gone.
        self.holds(page, f"document.querySelector('[data-photo=\"{gone}\"] img').naturalWidth > 0")
        page.route("**/live", lambda route: route.abort())
        self.server.stop()
        self.server.start(self.server.port)
        self.server.call("DELETE", f"/photos/{gone}")
        self.server.call("PATCH", f"/photos/{hidden}", {"hidden": True})
        self.server.call("PATCH", f"/photos/{named}", {"caption": "While the page was away"})
        self.upload(2)
        shown = "[...document.querySelectorAll('li[data-photo]')].map((tile) => tile.dataset.photo).join()"
        expect(gone in page.evaluate(shown), "the page has heard of a change before it could")
        page.unroute("**/live")
        page.evaluate("dispatchEvent(new Event('online'))")
        self.holds(page, f"{shown} === '{','.join(photo['id'] for photo in self.photos())}'")
        self.holds(page, f"document.querySelector('[data-photo=\"{hidden}\"]').classList.contains('is-hidden')")
        self.holds(page, f"document.querySelector('[data-photo=\"{named}\"]').textContent.includes('While the page was away')")
        self.holds(page, f"document.querySelector('[data-count=photos]').textContent === '{count + 2}'")
        # It has told what it heard last, and the server has said that it knows nothing of that.
        expect(heard and heard[-1], f"the page came back without what it heard last: {heard}")
        with self.server.open("GET", target, {"Last-Event-ID": heard[-1]}) as answer:
            lines = [answer.readline().decode().strip() for _ in range(5)]
        expect("event: reset" in lines, f"a page that comes back with {heard[-1]} hears {lines}")
        # What comes afterwards comes by itself, as before.
        self.upload(1)
        self.holds(page, f"document.querySelectorAll('li[data-photo]').length === {count + 3}")
        # That no server was there is said in the console; nothing else is.
        self.console = [line for line in self.console if "net::ERR_" not in line]
        self.quiet("the host's page after a reset")
        page.context.close()

    def shot_at(self, event, clock, camera="NIKON Z 8"):
        """A picture whose camera's clock showed that, and nothing of a zone."""
        path = os.path.join(self.folder, "timed.jpg")
        self.made += 1
        subprocess.run(["convert", "-size", "600x400", "-seed", str(self.made), "plasma:", path], check=True)
        subprocess.run(["exiftool", "-q", "-overwrite_original", f"-DateTimeOriginal={clock}", f"-Model={camera}", path], check=True)
        with open(path, "rb") as file:
            body = file.read()
        before = self.server.call("GET", f"/events/{event['id']}")["counts"]["photos"]
        self.put(body, "image/jpeg", event)
        self.until(lambda: self.server.call("GET", f"/events/{event['id']}")["counts"]["photos"] > before, "a timed picture becomes a photo")

    def times(self):
        """What arrives is on top, and settles where it was taken; a host sets a zone and a clock right, and takes it back."""
        event = self.server.call("POST", "/events", {"name": "A long evening"})
        for clock in ["2026:11:21 20:00:00", "2026:11:21 21:00:00"]:
            self.shot_at(event, clock)
        guest = self.page()
        guest.goto(f"{self.base}/e/{event['slug']}", wait_until="load")
        guest.locator(".live:not([hidden])").wait_for()
        shown = "[...document.querySelectorAll('.wall li time')].map((time) => time.textContent).join(' ')"
        expect(guest.evaluate(shown) == "21:00 20:00", f"the page shows {guest.evaluate(shown)}")
        self.shot_at(event, "2026:11:21 19:00:00")
        self.holds(guest, f"{shown} === '19:00 21:00 20:00'")
        guest.reload(wait_until="load")
        self.holds(guest, f"{shown} === '21:00 20:00 19:00'")
        guest.locator(".live:not([hidden])").wait_for()
        page = self.page(DESK)
        page.goto(f"{self.base}/host")
        self.log_in(page, parts.PASSWORD)
        page.locator(f"a[href='#event/{event['id']}']").first.click()
        page.locator("#cameras .clock").click()
        page.fill("#edit-clock [name=shiftSeconds]", "+1:30")
        self.shot(page, "host-clock")
        page.locator("#edit-clock button.main").click()
        self.holds(guest, f"{shown} === '22:30 21:30 20:30'")
        # The guest may see it before the host has its answer.
        self.until(lambda: "+1:30:00" in page.locator(".clock-state").inner_text(), "the host is told what the clock is corrected by")
        self.shot(page, "host-clocks")
        page.locator("#undo-clock").click()
        self.holds(guest, f"{shown} === '21:00 20:00 19:00'")
        # A camera that comes while the page is open is told without a reload.
        self.shot_at(event, "2026:11:21 18:00:00", "NIKON Z 9")
        self.holds(page, "document.querySelectorAll('#cameras li').length === 2")
        latest = self.server.call("GET", f"/events/{event['id']}/photos")["photos"]
        self.server.call("DELETE", f"/photos/{latest[-1]['id']}")
        self.holds(guest, f"{shown} === '21:00 20:00 19:00'")
        page.locator("#edit-event").click()
        page.fill("#edit-event-form [name=timeZone]", "Europe/Atlantis")
        page.locator("#edit-event-form button.main").click()
        page.locator("#edit-event-form [aria-invalid]").wait_for()
        page.fill("#edit-event-form [name=timeZone]", "Europe/Vienna")
        page.locator("#edit-event-form button.main").click()
        self.until(lambda: self.server.call("GET", f"/events/{event['id']}")["timeZone"] == "Europe/Vienna", "the zone is set")
        guest.goto(f"{self.base}/e/{event['slug']}?q=20:00", wait_until="load")
        expect(guest.evaluate(shown) == "20:00", f"the search shows {guest.evaluate(shown)}")
        # A name of a zone that is refused is said in the console by the browser itself; nothing else is.
        self.console = [line for line in self.console if "409" not in line]
        self.quiet("the pages of an event whose times change")
        page.context.close()
        guest.context.close()

    def log_in(self, page, password):
        page.fill("#login [name=email]", "a@example.org")
        page.fill("#login [name=password]", password)
        page.keyboard.press("Enter")
        page.locator("#who summary").wait_for()

    def menu(self, page, deed):
        page.locator("#who summary").click()
        page.locator(deed).click()

    def tabs(self):
        """A log-in is for all tabs of a browser, and so is its end."""
        page = self.host_page()
        second = self.tab(page.context)
        second.goto(f"{self.base}/host")
        second.locator(f"a[href='#event/{self.server.event['id']}']").first.wait_for()
        second.reload()
        second.locator("#who summary").wait_for()
        self.menu(page, "#logout")
        second.locator("#login").wait_for()
        self.log_in(second, parts.PASSWORD)
        page.locator("#who summary").wait_for()
        self.console = [line for line in self.console if "401" not in line]
        self.quiet("two tabs of a host")
        page.context.close()

    def sessions(self):
        """A host sees every log-in, ends one, and ends all others."""
        page, other = self.host_page(), self.host_page()
        self.menu(page, "#my-sessions")
        listed = page.locator("li[data-session]")
        listed.first.wait_for()
        before = listed.count()
        expect(before >= 3, f"{before} log-ins are listed, of three at least")
        expect("Chrome on Linux" in listed.nth(0).inner_text() and page.locator("li[data-session]", has_text="Here, since").count() == 1,
               f"the log-ins read {listed.all_inner_texts()}")
        self.shot(page, "host-sessions")
        # The newest but this one is the other browser's.
        page.locator("li[data-session]:not(:has-text('Here, since'))").first.get_by_role("button").click()
        self.holds(page, f"document.querySelectorAll('li[data-session]').length === {before - 1}")
        other.locator("#login").wait_for()
        page.click("#end-others")
        self.holds(page, "document.querySelectorAll('li[data-session]').length === 1")
        self.server.token = None
        self.server.token = self.server.call("POST", "/auth/login", {"email": "a@example.org", "password": parts.PASSWORD})["accessToken"]
        self.console = [line for line in self.console if "401" not in line]
        self.quiet("the list of log-ins")
        page.context.close()
        other.context.close()

    def password(self):
        """A forgotten password: the operator's link works once, and whatever was logged in is not any more. Then it is changed back."""
        page = self.host_page()
        run = self.server.command("user", "password", "a@example.org")
        expect(run.returncode == 0, f"gallery user password ended with {run.returncode}: {run.stderr}")
        code = re.search(r"/host#password=([\w-]+)", run.stdout)[1]
        fresh = self.page()
        for is_first in (True, False):
            fresh.goto(f"{self.base}/host#password={code}")
            fresh.fill("#new-password [name=new]", "another password for the pages")
            expect(code not in fresh.url, "the link's code stays in the address")
            fresh.keyboard.press("Enter")
            if is_first:
                self.shot(fresh, "host-new-password")
                fresh.locator("#login").wait_for()
                fresh.goto("about:blank")
        fresh.get_by_text("this link is not good any more").first.wait_for()
        page.locator("#login").wait_for()
        self.log_in(page, "another password for the pages")
        self.menu(page, "#change-my-password")
        page.fill("#change-password [name=current]", "another password for the pages")
        page.fill("#change-password [name=new]", parts.PASSWORD)
        page.keyboard.press("Enter")
        page.locator("#change-password").wait_for(state="detached")
        self.menu(page, "#logout")
        self.log_in(page, parts.PASSWORD)
        self.server.token = None
        self.server.token = self.server.call("POST", "/auth/login", {"email": "a@example.org", "password": parts.PASSWORD})["accessToken"]
        # So is the browser's advice to name the account in a form that a link without a name has opened.
        self.console = [line for line in self.console if not re.search("401|403|username fields", line)]
        self.quiet("another password")
        page.context.close()
        fresh.context.close()

    def axe(self, page, what):
        """No finding of axe-core, however small."""
        found = accessibility.findings(page)
        expect(not found, f"{what}: axe-core finds {found}")

    def picks(self):
        pages_picks.Picks(self, expect).look()

    def uploads(self):
        pages_upload.Uploads(self, expect).look()

    def look(self):
        pages_look.Look(self, expect).look()

    def video(self):
        """Why it was not looked at, where it could not be."""
        if not shutil.which("ffmpeg"):
            return "ffmpeg is not installed: tools/setup"
        pages_video.Videos(self, expect).look()

    def languages(self):
        pages_languages.Languages(self, expect).look()

    def hearts(self):
        pages_hearts.Hearts(self, expect).look()

    def hosting(self):
        pages_hosting.Hosting(self, expect).look()

    def guest_uploads(self):
        pages_guestupload.GuestUploads(self, expect).look()

    def tiles(self):
        pages_tiles.Tiles(self, expect).look()

    def many_tabs(self):
        pages_tabs.Tabs(self, expect).look()

    def sizes(self):
        pages_sizes.Sizes(self, expect).look()

    def sections(self):
        pages_sections.Sections(self, expect).look()

    def sharing(self):
        pages_share.Sharing(self, expect).look()

    def export(self):
        pages_export.Export(self, expect).look()

    def wall(self):
        wall = pages_wall.Wall(self, expect)
        try:
            wall.look()
        finally:
            wall.close()

    def bulk(self):
        bulk = pages_bulk.Bulk(self, expect)
        try:
            bulk.look()
        finally:
            bulk.close()

    def show(self):
        """A screen in the hall: without a hand on it, what is new comes first, and what is hidden leaves."""
        event = self.server.call("POST", "/events", {"name": "On a screen"})
        page = self.page((1920, 1080))
        page.goto(f"{self.base}/e/{event['slug']}/show?seconds=3", wait_until="load")
        expect(page.locator("#wait").is_visible(), "an empty screen does not say that photos are on their way")
        self.upload(3, event)
        page.locator("#screen img").first.wait_for(timeout=15_000 * self.patience)
        expect(not page.locator("#wait").is_visible(), "the first photo does not take the place of the words")
        source = "document.querySelector('#screen img:last-child')?.getAttribute('src')"
        seen = set()

        def comes_round():
            seen.add(page.evaluate(source))
            return len(seen - {None}) >= 3

        self.until(comes_round, "three photos take turns")
        self.upload(1, event)
        latest = self.server.call("GET", f"/events/{event['id']}/photos")["photos"][0]
        self.until(lambda: latest["screenKey"] in (page.evaluate(source) or ""), "a new photo is shown next", 8)
        page.keyboard.press(" ")
        expect(page.locator("#pause").get_attribute("aria-pressed") == "true", "the space bar does not hold a photo")
        held = page.evaluate(source)
        page.wait_for_timeout(3500)
        expect(page.evaluate(source) == held, "a photo that is held goes away")
        page.keyboard.press("ArrowLeft")
        self.until(lambda: page.evaluate(source) != held, "an arrow goes back")
        page.keyboard.press("ArrowRight")
        self.until(lambda: page.evaluate(source) == held, "an arrow goes on to where it was")
        page.keyboard.press(" ")
        self.axe(page, "the screen in the hall")
        path = os.path.join(self.folder, "show.png")
        page.screenshot(path=path)
        self.shot(page, "show")
        read = subprocess.run(["zbarimg", "-q", "--raw", path], capture_output=True, text=True).stdout.strip()
        expect(read == event["guestUrl"], f"the code on the screen says '{read}', not {event['guestUrl']}")
        for photo in self.server.call("GET", f"/events/{event['id']}/photos")["photos"]:
            self.server.call("PATCH", f"/photos/{photo['id']}", {"hidden": True})
        self.until(lambda: page.evaluate(source) is None and page.locator("#wait").is_visible(), "hidden photos leave the screen")
        # What was hidden before it was loaded is answered with 404, which the browser notes.
        self.console = [line for line in self.console if "404" not in line]
        self.quiet("the screen in the hall")
        page.context.close()
        phone = self.page(PHONE, dark=True)
        phone.goto(f"{self.base}/e/{self.server.event['slug']}/show", wait_until="load")
        phone.locator("#screen img").first.wait_for()
        self.axe(phone, "the same on a phone")
        self.shot(phone, "show-phone")
        phone.context.close()

    def offline(self):
        """A guest's browser keeps what the page is made of, and nothing that it shows; without the server it says so in words."""
        page = self.page(PHONE)
        address = f"{self.base}/e/{self.server.event['slug']}"
        page.goto(address, wait_until="load")
        page.locator(".live:not([hidden])").wait_for()
        self.holds(page, "navigator.serviceWorker.controller")
        self.can_be_installed(page)
        page.reload(wait_until="load")
        page.locator(".live:not([hidden])").wait_for()
        kept = page.evaluate("""async () => {
          const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
          const requests = await Promise.all(stores.map((store) => store.keys()));
          return requests.flat().map((request) => new URL(request.url).pathname);
        }""")
        expect(any(path.endswith("/guest.js") for path in kept), f"the page's scripts are not kept: {kept}")
        others = {path: page.evaluate("async (path) => (await caches.match(path)).text()", path) for path in kept if not path.startswith("/assets/")}
        expect(others == {"/e/language": "en"}, f"the browser keeps more than what the page is made of, and its language: {others}")
        self.server.stop()
        page.reload(wait_until="load")
        expect(page.get_by_role("heading", name="There is no connection").is_visible(), "nothing says that there is no connection")
        self.axe(page, "the page without a connection")
        self.shot(page, "offline-phone")
        self.server.start(self.server.port)
        page.get_by_role("link", name="Try again").click()
        page.locator(".wall li").first.wait_for()
        expect(page.url == address, f"the way back leads to {page.url}")
        # The browser notes each request that the server did not answer.
        self.console = [line for line in self.console if "net::ERR_" not in line and "503" not in line and "Failed to fetch" not in line]
        self.quiet("a page without a connection")
        page.context.close()

    def can_be_installed(self, page):
        """A guest's phone would put the page on its home screen."""
        session = page.context.new_cdp_session(page)
        manifest = session.send("Page.getAppManifest")
        expect(manifest["url"].endswith("/manifest.webmanifest") and not manifest["errors"], f"the browser reads the manifest as {manifest}")
        # A context of a walk keeps nothing, as an incognito window, where no page can be installed; Chromium looks at the rest all the same.
        errors = [error for error in session.send("Page.getInstallabilityErrors")["installabilityErrors"] if error["errorId"] != "in-incognito"]
        expect(not errors, f"the browser would not install the page: {errors}")
        session.detach()

    def photos(self):
        return self.server.call("GET", f"/events/{self.server.event['id']}/photos?limit=60")["photos"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shots", metavar="FOLDER")
    parser.add_argument("--beside", action="store_true", help="other programs run beside it: wait six times as long, and hold bounds of speed ten times as wide")
    parser.add_argument("--nodes", type=int, metavar="N", choices=range(1, 4), help="a cluster of so many nodes, instead of one program")
    parser.add_argument("--only", nargs="*", default=["guests", "blurred", "lightbox", "search", "share", "sharing", "without_scripts", "picks", "export", "hearts", "sections", "sizes", "tiles", "languages", "pin", "wall", "show", "offline", "look", "video", "host", "many", "hosting", "bulk", "uploads", "guest_uploads", "reset", "times", "tabs", "many_tabs", "sessions", "password"])
    arguments = parser.parse_args()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        own = os.path.join(parts.TOP, ".build", "python", "bin", "python")
        if sys.executable == own or not os.access(own, os.X_OK):
            sys.exit("pages: there is no playwright here: tools/setup")
        os.execv(own, [own, *sys.argv])

    if arguments.shots:
        os.makedirs(arguments.shots, exist_ok=True)
    if arguments.nodes:
        pages_nodes.cluster.needs_what_it_needs()
    folder = tempfile.mkdtemp(prefix="pages-")
    server = pages_nodes.Nodes(folder, arguments.nodes) if arguments.nodes else parts.Server(folder)
    tell_where_it_ends(server, folder)
    try:
        with sync_playwright() as playwright:
            patience = 6 if arguments.beside else 1
            browser = browsing.Browser(playwright, patience)
            pages = Pages(browser, server, folder, arguments.shots, patience)
            pages.upload(12)
            for name in arguments.only:
                if arguments.nodes and name in pages_nodes.ALONE:
                    print(f"pages: {name}: not looked at: {pages_nodes.ALONE[name]}")
                    continue
                began = time.monotonic()
                try:
                    missing = getattr(pages, name)()
                except (Exception, SystemExit) as error:
                    steps = steps_of(traceback.extract_tb(error.__traceback__))
                    sys.exit(f"pages: {name}: {steps}: {error}; console: {pages.console[:3]}")
                if missing:
                    print(f"pages: {name}: not looked at: {missing}")
                    continue
                print(f"pages: {name}: as it should be, {time.monotonic() - began:.1f} s", flush=True)
            browser.close()
    finally:
        try:
            server.end()
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
