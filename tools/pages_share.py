"""What guests send on to others, for tools/pages.py: the link of one photo and of all, where it leads to with and without scripts; a photo
made larger by keys, the screen in the hall made as large as it is, and the plain pages that a guest may come to."""
import re

DESK, PHONE = (1280, 800), (390, 844)
PIN = "135790"
# A browser that has no way of its own to send a link on, one that has, and one whose guest closes that way without sending anything.
PLAIN = "Object.defineProperty(navigator, 'share', { value: undefined });"
SENDS = "window.sent = []; Object.defineProperty(navigator, 'share', { value: async (what) => void window.sent.push(what) });"
CHANGES_ITS_MIND = "Object.defineProperty(navigator, 'share', { value: async () => { throw new DOMException('no', 'AbortError'); } });"
# By http, as in a hall's own network, pages have no clipboard; what is in it is read by this walk alone.
BY_HTTP = f"{PLAIN} window.clipboard = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', {{ value: undefined }});"
CLIPBOARD = "(window.clipboard ?? navigator.clipboard)"
OLD = "delete window.HTMLDialogElement;"
UNABLE = "Element.prototype.requestFullscreen = async () => { throw new TypeError('no'); };"
WITHOUT = "delete Element.prototype.requestFullscreen;"
IMAGE = "document.querySelector('dialog.box .stage img')"
STATUS = "document.getElementById('status')"
# What of the panel has the focus, by its words. Where all of the page has it, a browser in a window has it on its own buttons.
BROWSER = "the browser"
FOCUS = f"((at) => at === document.body ? '{BROWSER}' : at.closest('dialog.panel') ? at.textContent.trim() : at.outerHTML)(document.activeElement)"


class Sharing:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Sent on"})
        pages.upload(3, self.event)
        self.address = f"{pages.base}/e/{self.event['slug']}"
        self.photos = self.server.call("GET", f"/e/{self.event['slug']}/photos?limit=200")["photos"]
        self.server.call("PATCH", f"/photos/{self.photos[1]['id']}", {"caption": "By <b>the</b> lake"})

    def page(self, script="", address=None, size=DESK, **wishes):
        page = self.pages.page(size, permissions=["clipboard-read", "clipboard-write"], **wishes)
        page.add_init_script(script)
        page.goto(address or self.address, wait_until="load")
        return page

    def link(self, place):
        return f"{self.address}/p/{self.photos[place]['id']}"

    def open(self, page, place):
        page.locator(f"[id='{self.photos[place]['id']}'] > a").first.click()
        self.is_open(page, place)

    def is_open(self, page, place):
        page.locator("dialog.box[open]").wait_for()
        self.pages.holds(page, f"{IMAGE}.getAttribute('src') === '{self.photos[place]['screenUrl']}' && {IMAGE}.naturalWidth > 0")

    def share(self, page):
        """The panel, which is at the page's end for as long as its script is not there."""
        page.locator("dialog.box").wait_for(state="attached")
        page.locator("#open-share").click()
        panel = page.get_by_role("dialog", name="Share these photos")
        panel.wait_for()
        return panel

    def is_shut(self, page):
        """The panel is, and what it held is at the page's end again, which browsers tell the page a moment later."""
        page.locator("dialog.panel[open]").wait_for(state="hidden")
        page.locator("body > #share").wait_for()

    def copies(self, page, button, wanted):
        """That button leaves this in the clipboard, and what stands before everything else says so."""
        page.evaluate(f"() => {CLIPBOARD}.writeText('nothing yet').catch(() => {{}})")
        page.evaluate(f"() => void ({STATUS}.textContent = '')")
        button.click()
        self.pages.holds(page, f"{STATUS}.textContent === 'Link copied' && {STATUS}.matches('dialog[open] .seen')")
        read = page.evaluate(f"() => {CLIPBOARD}.readText()")
        self.expect(read == wanted, f"the clipboard has {read!r}, not {wanted!r}")

    def sends(self, page, button, wanted):
        """That button sends this once by the browser's own way, and copies nothing."""
        page.evaluate("navigator.clipboard.writeText('nothing yet')")
        button.click()
        self.pages.holds(page, "window.sent.length")
        self.expect(page.evaluate("window.sent") == [wanted], f"{page.evaluate('window.sent')} is sent, not {wanted}")
        read = page.evaluate("navigator.clipboard.readText()")
        said = page.evaluate(f"{STATUS}.textContent")
        self.expect((read, said) == ("nothing yet", ""), f"of a link that is sent the clipboard has {read!r}, and the page says {said!r}")

    def refusals(self, *codes):
        """A browser notes by itself what was refused; nothing else is to stand there."""
        said = re.compile("|".join(f"status of {code}" for code in codes))
        self.pages.console = [line for line in self.pages.console if not said.search(line)]

    # What is looked at

    def whole_screen(self):
        """A screen in the hall takes all of a display by a key and by its button, whose words follow; one that cannot says so."""
        address = f"{self.address}/show?seconds=120"
        page = self.page(address=address, size=(1920, 1080))
        whole = "document.fullscreenElement === document.documentElement"
        stands = "document.getElementById('said').textContent"
        button = lambda of, name: of.get_by_role("button", name=name, exact=True)
        self.pages.holds(page, stands)
        for name, turn in (("Full screen", lambda: page.keyboard.press("f")), ("Exit full screen", lambda: page.keyboard.press("Shift+F")),
                           ("Full screen", lambda: button(page, "Full screen").click()),
                           ("Exit full screen", lambda: button(page, "Exit full screen").press("Enter"))):  # fmt: skip
            is_whole = name == "Full screen"
            button(page, name).wait_for()
            turn()
            self.pages.holds(page, whole if is_whole else "!document.fullscreenElement")
            button(page, "Exit full screen" if is_whole else "Full screen").wait_for()
            if is_whole:
                self.pages.shot(page, "show-whole")
        page.context.close()
        for script, has_button in ((UNABLE, True), (WITHOUT, False)):
            page = self.page(script, address)
            self.pages.holds(page, stands)
            self.expect(button(page, "Full screen").is_visible() == has_button, f"the button for the full screen is there: {not has_button}")
            page.keyboard.press("f")
            self.pages.holds(page, f"{stands} === 'This browser cannot show the full screen'")
            page.context.close()
        self.pages.quiet("a screen that takes all of a display")

    def larger(self):
        """The keys + - 0 make one photo larger and as it was; meanwhile arrows move it, and afterwards they turn to the next."""
        page = self.page(PLAIN)
        self.open(page, 0)
        scale = f"new DOMMatrix(getComputedStyle({IMAGE}).transform).a"
        apart = f"{IMAGE}.getBoundingClientRect().width / document.querySelector('dialog.box .stage').clientWidth"
        for keys, wanted in (("+", 1.5), ("=", 2.25), ("-", 1.5), ("--", 1), ("+" * 9, 8), ("0", 1), ("++", 2.25)):
            for key in keys:
                page.keyboard.press(key)
            self.pages.holds(page, f"Math.abs({scale} - {wanted}) < 0.01 && Math.abs({apart} - {wanted}) < 0.02")
        before = page.evaluate(f"() => {IMAGE}.style.transform")
        page.keyboard.press("ArrowRight")
        self.pages.holds(page, f"{IMAGE}.style.transform !== '{before}'")
        self.expect(page.evaluate("location.hash.slice(1)") == self.photos[0]["id"], "an arrow turns away from a photo that is larger")
        page.wait_for_timeout(300)
        self.pages.shot(page, "lightbox-larger")
        self.pages.axe(page, "a photo that is larger")
        page.keyboard.press("-")
        page.keyboard.press("-")
        page.keyboard.press("ArrowRight")
        self.is_open(page, 1)
        self.pages.holds(page, f"{scale} === 1")
        self.pages.quiet("a photo that is made larger")
        page.context.close()

    def one_photo(self):
        """The button of one photo hands over its own address: by the browser's way of sending, or else by the clipboard."""
        button = lambda of: of.locator("dialog.box").get_by_role("button", name="Share this photo")
        for script in (PLAIN, BY_HTTP):
            page = self.page(script)
            self.open(page, 0)
            self.copies(page, button(page), self.link(0))
            page.keyboard.press("ArrowRight")
            self.is_open(page, 1)
            self.copies(page, button(page), self.link(1))
            self.expect(page.locator("dialog.box[open]").count() == 1, "a photo whose link is copied is closed")
            if script == PLAIN:
                self.pages.shot(page, "lightbox-link-copied")
                self.pages.axe(page, "a photo whose link was copied")
            page.context.close()
        page = self.page(SENDS, size=PHONE)
        self.open(page, 2)
        self.sends(page, button(page), {"title": "Sent on", "url": self.link(2)})
        page.context.close()
        page = self.page(CHANGES_ITS_MIND)
        self.open(page, 0)
        page.evaluate("navigator.clipboard.writeText('nothing yet')")
        button(page).click()
        page.wait_for_timeout(300)
        read = page.evaluate("navigator.clipboard.readText()")
        self.expect(read == "nothing yet" and not page.locator("#status.seen").count(), f"where a guest sends nothing, {read!r} is copied")
        page.context.close()
        self.pages.quiet("the link of one photo")

    def behind_a_pin(self):
        """Guests who came by the QR code or by the PIN send addresses without the key, which lead others to the door, and then to the photo."""
        event = self.server.call("POST", "/events", {"name": "Sent on behind a PIN", "pin": PIN})
        self.pages.upload(1, event)
        photo = self.server.call("GET", f"/events/{event['id']}/photos")["photos"][0]["id"]
        address = f"{self.pages.base}/e/{event['slug']}"
        link = f"{address}/p/{photo}"
        key = event["entryUrl"].split(event["slug"])[1]
        self.expect(len(key) > 20, f"the host's link has no key: {event['entryUrl']}")
        for script, way in ((SENDS, key), (PLAIN, "")):
            page = self.page(script, address + way)
            if not way:
                page.fill("[name=pin]", PIN)
                page.keyboard.press("Enter")
            page.locator(f"[id='{photo}'] > a").first.click()
            page.locator("dialog.box[open]").wait_for()
            button = page.get_by_role("button", name="Share this photo")
            self.sends(page, button, {"title": "Sent on behind a PIN", "url": link}) if way else self.copies(page, button, link)
            page.keyboard.press("Escape")
            page.locator("dialog.box[open]").wait_for(state="hidden")
            shown = self.share(page).locator("a").evaluate_all("(links) => links.map((link) => link.href)")
            self.expect(shown == [event["guestUrl"], f"{address}/show"], f"behind a PIN the panel has the links {shown}")
            page.context.close()
        other = self.page(address=link, size=PHONE)
        other.fill("[name=pin]", PIN)
        other.keyboard.press("Enter")
        other.locator("dialog.box[open]").wait_for()
        self.expect(other.url == f"{address}#{photo}", f"the link that was sent leads behind the PIN to {other.url}")
        other.context.close()
        self.refusals(401, 403)
        self.pages.quiet("links that are sent from behind a PIN")

    def leads_on(self):
        """The address of one photo leads to it before all others; the ways out of it are the wall, and back where the guest came from."""
        page = self.page(address=f"{self.pages.base}/")
        page.goto(self.link(1), wait_until="commit")
        page.wait_for_url(f"{self.address}#{self.photos[1]['id']}")
        self.is_open(page, 1)
        self.expect(page.locator("dialog.box .caption").inner_text() == "By <b>the</b> lake", "another photo's caption is shown, or it became markup")
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="hidden")
        self.expect(page.url == self.address and page.locator(".wall li").count() == 3, f"behind the photo there is {page.url}")
        page.go_back()
        self.expect(page.url == f"{self.pages.base}/", f"the way back from a photo leads to {page.url}")
        page.context.close()
        page = self.page(address=f"{self.address}/p/{'0' * 8}-0000-4000-8000-{'0' * 12}")
        page.get_by_role("heading", name="That photo is not here").wait_for()
        self.pages.axe(page, "the address of a photo that is not here")
        page.get_by_role("link", name="All photos of Sent on").click()
        page.locator(".wall li").nth(2).wait_for()
        page.context.close()
        self.refusals(404)
        self.pages.quiet("the address of one photo")

    def without_scripts(self):
        """Without scripts the address of one photo shows it, and leads to its file and to all others."""
        page = self.page(address=self.link(1), scripts=False, size=PHONE)
        self.expect(page.url == self.link(1), f"without JavaScript a photo leads to {page.url}")
        picture = page.locator("#photo img")
        self.expect(picture.get_attribute("src") == self.photos[1]["screenUrl"], "without JavaScript another picture is shown")
        box = picture.bounding_box()
        self.expect(box["width"] > 150 and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0], f"on a phone the picture is at {box}")
        self.expect(page.get_by_role("heading", level=1).inner_text() == "By <b>the</b> lake", "without JavaScript the caption is not the heading")
        self.pages.shot(page, "one-photo-without-scripts")
        target = page.get_by_role("link", name="Download this photo").get_attribute("href")
        for what, path in (("the picture", picture.get_attribute("src")), ("the download", target)):
            answer = page.request.get(self.pages.base + path)
            self.expect(answer.status == 200 and answer.headers["content-type"] == "image/jpeg" and answer.body()[:2] == b"\xff\xd8",
                        f"without JavaScript {what} is answered with {answer.status}, {answer.headers.get('content-type')}")  # fmt: skip
        said = answer.headers.get("content-disposition", "")
        self.expect(said.startswith("attachment"), f"what is downloaded says of itself: {said!r}")
        page.get_by_role("link", name="All photos of Sent on").click()
        page.wait_for_url(self.address)
        self.expect(page.locator(".wall li a img").count() == 3, "from one photo, no link leads to the wall")
        page.context.close()
        self.pages.quiet("one photo without scripts")

    def panel(self):
        """The guests' panel copies or sends the address of all photos, leads to the screen in a hall, and closes by a tap beside it."""
        guests = self.event["guestUrl"]
        for script, size, dark in ((PLAIN, DESK, False), (SENDS, PHONE, True), (BY_HTTP, PHONE, False)):
            page = self.page(script, size=size, dark=dark)
            panel = self.share(page)
            if script == SENDS:
                self.sends(page, panel.get_by_role("button", name="Send the link"), {"title": "Sent on", "url": guests})
            else:
                self.copies(page, panel.get_by_role("button", name="Copy the link"), guests)
            page.wait_for_timeout(300)
            name = f"share-{size[0]}{'-dark' if dark else ''}"
            self.pages.shot(page, name)
            self.pages.axe(page, name)
            page.mouse.click(5, 5)
            self.is_shut(page)
            self.share(page).get_by_role("link", name="Show them on a screen").click()
            page.wait_for_url(f"{self.address}/show")
            page.locator("#screen img").first.wait_for()
            page.context.close()
        self.pages.quiet("the panel for sharing")

    def by_keys(self, script):
        """By keys alone: to the panel, through it and out of it, with the focus where one was."""
        page = self.page(script)
        page.locator("dialog.box").wait_for(state="attached")
        focused = lambda: page.evaluate(FOCUS)
        opener = "document.activeElement.id === 'open-share'"

        def goes_to_the_button():
            page.keyboard.press("Tab")
            return page.evaluate(opener)

        self.expect(any(goes_to_the_button() for _ in range(20)), "20 times Tab do not lead to the button that shares")
        page.keyboard.press("Enter")
        page.locator("dialog.panel[open]").wait_for()
        page.keyboard.press("Shift+Tab")
        page.evaluate(f"() => {CLIPBOARD}.writeText('nothing yet')")
        page.keyboard.press("Enter")
        self.pages.holds(page, f"{STATUS}.textContent === 'Link copied'")
        self.expect(page.evaluate(f"() => {CLIPBOARD}.readText()") == self.event["guestUrl"], "a key copies another address")
        self.expect(focused() == "Copy the link", f"after the link was copied the focus is on {focused()}")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        self.is_shut(page)
        self.pages.holds(page, opener)
        parts = ["Close", self.event["guestUrl"], "Show them on a screen", "Copy the link"]
        for way, steps in (("Tab", parts), ("Shift+Tab", parts[:1] + parts[:0:-1])):
            page.keyboard.press("Enter")
            page.locator("dialog.panel[open]").wait_for()
            walked = [focused()]
            while len(walked) < 8 and walked.count("Close") < 2:
                page.keyboard.press(way)
                walked.append(focused())
            # Forwards Chromium leads by its own buttons, and backwards it does not.
            walked = [part for part in walked if part != BROWSER]
            self.expect(walked == [*steps, "Close"], f"{way} goes through the panel as {walked}")
            page.keyboard.press("Escape")
            self.is_shut(page)
            self.pages.holds(page, opener)
        # Opened, shut and opened in one breath it holds what it is to hold.
        for _ in range(5):
            for key in ("Enter", "Escape", "Enter"):
                page.keyboard.press(key)
            self.pages.holds(page, "document.querySelector('dialog.panel[open] #share')")
            page.wait_for_timeout(50)
            self.expect(page.locator("dialog.panel[open] #share").count() == 1, "the panel is empty")
            page.keyboard.press("Escape")
            self.is_shut(page)
        self.pages.quiet("the panel by keys")
        page.context.close()

    def found(self, size, dark):
        """What a search finds, and that it finds nothing."""
        page = self.page(size=size, dark=dark)
        page.locator("dialog.box").wait_for(state="attached")
        page.fill("[name=q]", "lake")
        self.pages.holds(page, "document.querySelectorAll('.wall li').length === 1")
        self.pages.axe(page, f"what a search finds, {size[0]}")
        page.fill("[name=q]", "zebra")
        page.get_by_role("heading", name="Nothing found for “zebra”").wait_for()
        self.pages.axe(page, f"nothing that is found, {size[0]}")
        self.pages.shot(page, f"nothing-found-{size[0]}")
        page.reload(wait_until="load")
        page.get_by_role("heading", name="Nothing found for “zebra”").wait_for()
        self.pages.axe(page, f"nothing that is found, as the server says it, {size[0]}")
        page.context.close()

    def plain(self, size, dark, over):
        """Pages that only say something, and one photo in a browser that is too old to be led on."""
        for name, address, words in (("one-photo", self.link(1), "By <b>the</b> lake"),
                                     ("entrance", f"{self.pages.base}/", "Looking for photos?"),
                                     ("entrance-unknown", f"{self.pages.base}/?event=not-an-event", "Looking for photos?"),
                                     ("over", f"{self.pages.base}/e/{over['slug']}", "Over: this gallery is closed"),
                                     ("nothing", f"{self.pages.base}/e/not-an-event", "There is nothing here")):  # fmt: skip
            page = self.page(OLD, address, size, dark=dark)
            page.get_by_role("heading", name=words, exact=True).wait_for()
            self.expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than its screen, {size[0]}")
            self.pages.axe(page, f"{name}, {size[0]}")
            self.pages.shot(page, f"{name}-{size[0]}{'-dark' if dark else ''}")
            page.context.close()

    def entrance(self):
        """The entrance says that it knows no such name, and leads in by the name and by a link that was sent."""
        page = self.page(address=f"{self.pages.base}/")
        for typed in ("not-an-event", self.event["slug"], self.event["guestUrl"]):
            page.get_by_label("The name, or the link that you were sent").fill(typed)
            page.keyboard.press("Enter")
            if typed == "not-an-event":
                page.get_by_role("alert").get_by_text("There is no event with this name").wait_for()
                continue
            page.wait_for_url(self.address)
            page.locator(".wall li").nth(2).wait_for()
            page.goto(f"{self.pages.base}/")
        page.context.close()

    def ends(self):
        """An event that ends while a guest looks at it is over there by itself."""
        event = self.server.call("POST", "/events", {"name": "Over"})
        self.pages.upload(1, event)
        page = self.page(address=f"{self.pages.base}/e/{event['slug']}")
        page.locator(".live:not([hidden])").wait_for()
        self.server.call("PATCH", f"/events/{event['id']}", {"expiresAt": "2020-01-01T00:00:00.000Z"})
        page.get_by_role("heading", name="Over: this gallery is closed").wait_for()
        page.context.close()
        return event

    def look(self):
        self.whole_screen()
        self.larger()
        self.one_photo()
        self.behind_a_pin()
        self.leads_on()
        self.without_scripts()
        self.panel()
        for script in (PLAIN, BY_HTTP):
            self.by_keys(script)
        self.entrance()
        over = self.ends()
        for size, dark in ((DESK, False), (PHONE, True)):
            self.found(size, dark)
            self.plain(size, dark, over)
        self.refusals(404, 410)
        self.pages.quiet("pages that only say something")
