"""Hearts and comments, for tools/pages.py: guests give and take back, write and remove; the host sees, removes and switches off."""

HEART = "document.querySelector('#box-heart')"
TALK = "document.querySelector('dialog.talk')"
COMMENTS = f"[...{TALK}.querySelectorAll('.what')].map((text) => text.textContent)"


class Hearts:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Liked"})
        pages.upload(4, self.event)
        self.address = f"{pages.base}/e/{self.event['slug']}"
        self.ids = [photo["id"] for photo in self.server.call("GET", f"/e/{self.event['slug']}/photos?limit=200")["photos"]]

    def page(self, size=(1280, 800), **wishes):
        page = self.pages.page(size, **wishes)
        page.goto(self.address, wait_until="load")
        page.locator("dialog.box").wait_for(state="attached")
        return page

    def open(self, page, place):
        page.locator(f"[id='{self.ids[place]}'] > a").first.click()
        page.locator("#box-heart").wait_for()

    def pressed(self, page, is_pressed, count):
        words = "1 heart" if count == 1 else f"{count} hearts"
        self.pages.holds(page, f"{HEART}?.getAttribute('aria-pressed') === '{str(is_pressed).lower()}' && {HEART}.ariaLabel === 'Heart: {words}'")

    def badge(self, page, place, text):
        item = f"document.getElementById('{self.ids[place]}')"
        self.pages.holds(page, f"({item}.querySelector('.liked')?.textContent ?? '') === '{text}'")

    def says(self, page, *texts):
        wanted = "|".join(texts)
        self.pages.holds(page, f"{TALK} && {COMMENTS}.join('|') === '{wanted}'")

    # What is looked at

    def hearts(self):
        """One guest gives, another sees it without doing anything; the same browser takes it back."""
        first, second = self.page(), self.page()
        self.open(first, 1)
        self.pressed(first, False, 0)
        first.locator("#box-heart").click()
        self.pressed(first, True, 1)
        self.badge(second, 1, "♥ 1")
        self.open(second, 1)
        self.pressed(second, False, 1)
        second.keyboard.press("h")
        self.pressed(second, True, 2)
        self.pressed(first, True, 2)
        first.wait_for_timeout(300)
        self.pages.shot(first, "hearts-lightbox")
        self.pages.axe(first, "the lightbox with a heart")
        first.keyboard.press("Escape")
        first.locator("dialog.box[open]").wait_for(state="hidden")
        self.badge(first, 1, "♥ 2")
        self.pages.shot(first, "hearts-wall")
        self.pages.axe(first, "the wall with hearts")
        # The cookie is the browser's, for another visit too.
        first.reload(wait_until="load")
        self.badge(first, 1, "♥ 2")
        self.open(first, 1)
        self.pressed(first, True, 2)
        first.keyboard.press("l")
        self.pressed(first, False, 1)
        self.pressed(second, True, 1)
        self.badge(second, 1, "♥ 1")
        cookies = [cookie for cookie in first.context.cookies() if cookie["name"].startswith("hearts_")]
        self.expect(len(cookies) == 1 and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Lax", f"the cookie is {cookies}")
        self.pages.quiet("hearts")
        return first, second

    def comments(self, first, second):
        """A comment is text, comes to a page that has the panel open, and goes when it is removed."""
        names = [url for url in first.evaluate("() => performance.getEntriesByType('resource').map((entry) => entry.name)") if "comments.js" in url]
        self.expect(not names, "the comments' script is loaded before a guest asks for it")
        first.keyboard.press("c")
        first.locator("dialog.talk[open]").wait_for()
        first.locator("#talk-name").fill("Cleo")
        first.locator("#talk-text").fill("<b>Lovely</b> & \"sweet\"")
        first.wait_for_timeout(300)
        self.pages.shot(first, "comments-desk")
        self.pages.axe(first, "the comments")
        first.locator("dialog.talk").get_by_role("button", name="Send").click()
        self.pages.holds(first, f"{COMMENTS}[0] === '<b>Lovely</b> & \"sweet\"'")
        self.expect(first.locator("dialog.talk b").count() == 0, "a comment became markup")
        self.pages.holds(second, "document.querySelector('#box-comments')?.ariaLabel === 'Comments: 1 comment'")
        second.locator("#box-comments").click()
        self.pages.holds(second, f"{TALK} && {COMMENTS}.length === 1")
        self.expect(second.locator("dialog.talk .remove").count() == 0, "another guest's comment can be removed")
        second.locator("#talk-name").fill("Bob")
        second.locator("#talk-text").fill("So it is")
        second.locator("dialog.talk").get_by_role("button", name="Send").click()
        self.pages.holds(first, f"{COMMENTS}.length === 2")
        # Keys that are typed turn no page.
        first.locator("#talk-text").focus()
        first.keyboard.type("hlcp")
        first.keyboard.press("Home")
        self.expect(first.locator("#talk-text").input_value() == "hlcp", "what is typed is taken for keys of the lightbox")
        first.locator("#talk-text").fill("")
        first.locator("dialog.talk").get_by_role("button", name="Send").click()
        first.get_by_text("Write something first").wait_for()
        first.locator("dialog.talk .remove").click()
        self.says(first, "So it is")
        self.says(second, "So it is")
        first.keyboard.press("Escape")
        first.locator("dialog.talk").wait_for(state="detached")
        self.expect(first.locator("dialog.box[open]").count() == 1, "Escape closes the photo with its comments")
        first.keyboard.press("c")
        self.pages.holds(first, f"{TALK}?.querySelector('#talk-name').value === 'Cleo'")
        # A tap beside a field closes nothing, and what was typed is there when the panel is opened again.
        first.locator("#talk-text").fill("Half a thought")
        # The host writes of the photo meanwhile.
        self.server.call("PATCH", f"/photos/{self.ids[1]}", {"caption": "By the lake"})
        self.pages.holds(first, "document.querySelector('dialog.box .caption').textContent === 'By the lake'")
        typed = (first.evaluate("document.activeElement.id"), first.locator("#talk-text").input_value())
        self.expect(typed == ("talk-text", "Half a thought"), f"a caption that changes leaves {typed} of a comment that is being written")
        self.server.call("PATCH", f"/photos/{self.ids[1]}", {"caption": ""})
        first.locator("dialog.talk").click(position={"x": 5, "y": 5})
        self.expect(first.locator("dialog.talk[open]").count() == 1, "a tap beside a field closes the comments")
        first.keyboard.press("Escape")
        first.locator("dialog.talk").wait_for(state="detached")
        first.keyboard.press("c")
        self.pages.holds(first, f"{TALK}?.querySelector('#talk-text').value === 'Half a thought'")
        # So it is when the page is loaded anew while one writes, and what was typed by then.
        first.locator("#talk-text").fill("Half a thought, and more")
        first.reload(wait_until="load")
        first.locator("dialog.box[open]").wait_for()
        first.locator("#box-comments").click()
        self.pages.holds(first, f"{TALK}?.querySelector('#talk-text').value === 'Half a thought, and more'")
        first.locator("#talk-text").fill("")
        first.keyboard.press("Escape")
        self.pages.quiet("comments")

    def refused(self, first):
        """What the server does not take is said, and the page shows what is so."""
        first.route("**/heart", lambda route: route.fulfill(status=429, json={"error": {"code": "RATE_LIMITED", "message": "wait"}}, headers={"Retry-After": "2"}))
        self.pressed(first, False, 1)
        first.keyboard.press("h")
        self.pages.holds(first, "document.getElementById('status').textContent.startsWith('Too many hearts')")
        self.pressed(first, False, 1)
        first.unroute("**/heart")
        first.route("**/heart", lambda route: route.abort())
        first.keyboard.press("h")
        self.pages.holds(first, "document.getElementById('status').textContent.startsWith('No connection')")
        self.pressed(first, False, 1)
        first.unroute("**/heart")
        # Refusals are said in the console by the browser itself; nothing else is.
        self.pages.console = [line for line in self.pages.console if not (line.rstrip().endswith("/heart") and ("429" in line or "net::ERR_FAILED" in line))]
        self.pages.quiet("hearts that are refused")

    def host(self, second):
        """The host sees what is liked, removes a comment, and switches hearts off, which open pages hear."""
        page = self.pages.host_page(self.event)
        liked = page.locator("[data-liked]").first
        liked.wait_for()
        self.expect(liked.get_attribute("data-liked") == self.ids[1], "the photo with most hearts is not the first")
        self.expect("1 heart · 1 comment" in liked.inner_text(), f"it says {liked.inner_text()}")
        self.pages.shot(page, "host-liked")
        self.pages.axe(page, "the host's page with what is liked")
        liked.get_by_role("button").click()
        page.locator("[data-comment] .remove").click()
        page.locator("dialog[open] .danger").click()
        self.pages.holds(page, "document.querySelectorAll('[data-comment]').length === 0")
        self.pages.holds(second, f"{TALK} && {COMMENTS}.length === 0")
        second.keyboard.press("Escape")
        page.get_by_role("button", name="Close").click()
        page.locator("#edit-event").click()
        page.locator("[name=allowsHearts]").uncheck()
        page.get_by_role("button", name="Save").click()
        self.pages.holds(second, f"{HEART}.hidden && !document.querySelector('#box-comments').hidden")
        self.pages.quiet("the host and what guests liked")
        page.context.close()
        self.server.call("PATCH", f"/events/{self.event['id']}", {"allowsHearts": True})
        self.pages.holds(second, f"!{HEART}.hidden")

    def switched_off(self, second):
        """What a guest was writing when the hosts switched comments off stays, and is told so, also where those before are still asked for."""
        asked = []
        # Playwright calls nothing that is not written in Python.
        second.route("**/comments?*", lambda question: asked.append(question))
        second.keyboard.press("c")
        second.locator("dialog.talk[open]").wait_for()
        second.locator("#talk-name").fill("Bob")
        second.locator("#talk-text").fill("Half a thought")
        second.evaluate("window.isTheSame = true")
        self.pages.until(lambda: second.evaluate("true") and asked, "what was said of a photo is not asked for")
        self.server.call("PATCH", f"/events/{self.event['id']}", {"allowsComments": False})
        asked.pop().continue_()
        second.locator("dialog.talk .none").get_by_text("The hosts have switched this off").wait_for()
        second.locator("dialog.talk").get_by_role("button", name="Send").click()
        second.locator("dialog.talk .problem").get_by_text("The hosts have switched this off").wait_for()
        self.expect(second.evaluate("window.isTheSame === true"), "the page was loaded anew")
        self.expect(second.locator("#talk-text").input_value() == "Half a thought", "what was typed is gone")
        second.unroute("**/comments?*")
        self.server.call("PATCH", f"/events/{self.event['id']}", {"allowsComments": True})
        second.locator("#talk-text").fill("")
        second.keyboard.press("Escape")
        second.locator("dialog.talk").wait_for(state="detached")
        self.pages.console = [line for line in self.pages.console if "403" not in line]
        self.pages.quiet("comments that are switched off")

    def behind_a_pin(self, second):
        """What a guest is writing when the hosts change the PIN is there again behind the new one."""
        second.keyboard.press("c")
        second.locator("#talk-text").fill("Half a thought")
        self.server.call("PATCH", f"/events/{self.event['id']}", {"pin": "24680"})
        second.locator("[name=pin]").fill("24680")
        second.keyboard.press("Enter")
        second.locator("dialog.box").wait_for(state="attached")
        if not second.locator("dialog.box[open]").count():
            self.open(second, 1)
        second.locator("#box-comments").click()
        self.pages.holds(second, f"{TALK}?.querySelector('#talk-text').value === 'Half a thought'")
        second.locator("#talk-text").fill("")
        second.keyboard.press("Escape")
        second.locator("dialog.talk").wait_for(state="detached")
        self.server.call("PATCH", f"/events/{self.event['id']}", {"pin": None})
        # The browser notes by itself what was refused at the door.
        self.pages.console = [line for line in self.pages.console if "401" not in line and "403" not in line]
        self.pages.quiet("a comment behind a PIN")

    def hidden(self, second):
        """A photo that is hidden takes its open comments with it, and who was writing one is told."""
        # Once they are there: what is asked for of a hidden photo is answered with 404, of which a browser tells by itself.
        with second.expect_response(lambda answer: "/comments" in answer.url):
            second.keyboard.press("c")
        second.locator("dialog.talk[open]").wait_for()
        second.locator("#talk-text").fill("Half a thought")
        self.server.call("PATCH", f"/photos/{self.ids[1]}", {"hidden": True})
        second.locator("dialog.talk").wait_for(state="detached")
        said = second.locator("dialog.box #status.seen").all_inner_texts()
        self.expect(said == ["That photo is not here any more"], f"of a photo that is hidden while a guest writes the page says {said}")
        self.expect(second.locator("dialog.box[open]").count() == 1, "the photo beside it is not shown")
        self.server.call("PATCH", f"/photos/{self.ids[1]}", {"hidden": False})
        # What was said of it just before is asked for once more, and is not had any more, of which a browser tells by itself: on a
        # slow machine a while later, and of a page that is closed never again.
        second.context.close()
        known = f"/photos/{self.ids[1]}/comments"
        self.pages.console = [line for line in self.pages.console if not ("404" in line and known in line)]
        self.pages.quiet("comments of a photo that is hidden")

    def by_touch(self, dark, direction):
        page = self.page((390, 844), dark=dark)
        page.evaluate("(direction) => (document.documentElement.dir = direction)", direction)
        page.locator(f"[id='{self.ids[2]}'] > a").first.tap()
        page.locator("#box-heart").wait_for()
        for name in ("#box-heart", "#box-comments"):
            box = page.locator(name).bounding_box()
            self.expect(box["width"] >= 44 and box["height"] >= 44, f"{name} is {box} large")
        page.locator("#box-heart").tap()
        self.pages.holds(page, f"{HEART}.getAttribute('aria-pressed') === 'true'")
        page.locator("#box-comments").tap()
        page.locator("dialog.talk[open]").wait_for()
        page.wait_for_timeout(300)
        name = f"comments-phone{'-dark' if dark else ''}-{direction}"
        self.pages.shot(page, name)
        self.pages.axe(page, name)
        page.locator("dialog.talk").get_by_role("button", name="Close").tap()
        page.locator("dialog.talk").wait_for(state="detached")
        self.pages.quiet("hearts by touch")
        page.context.close()

    def look(self):
        first, second = self.hearts()
        self.comments(first, second)
        self.refused(first)
        first.context.close()
        self.host(second)
        self.switched_off(second)
        self.behind_a_pin(second)
        self.hidden(second)
        self.by_touch(False, "ltr")
        self.by_touch(True, "rtl")
