"""Sections of the guests' page, for tools/pages.py: links and history, live changes, search, the lightbox and ZIPs within one; and the host's
page of what was taken home and of an event's end."""
import datetime
import re
import zipfile

CURRENT = "document.querySelector('#sections [aria-current]')?.dataset.album"
TILES = "document.querySelectorAll('.wall li').length"


class Sections:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "In parts"})
        pages.upload(6, self.event)
        self.path = f"/e/{self.event['slug']}"
        self.address = f"{pages.base}{self.path}"
        self.ids = [photo["id"] for photo in self.server.call("GET", f"{self.path}/photos?limit=200")["photos"]]
        self.church = self.album("Church", self.ids[:4])
        self.party = self.album("The <i>party</i>", self.ids[3:5])

    def album(self, name, ids):
        album = self.server.call("POST", f"/events/{self.event['id']}/albums", {"name": name})["id"]
        self.put(ids, album)
        return album

    def put(self, ids, album, field="addAlbums"):
        self.server.call("PATCH", "/photos", {"ids": ids, field: [album]})

    def page(self, size=(1280, 800), address="", **wishes):
        page = self.pages.page(size, **wishes)
        page.goto(self.address + address, wait_until="load")
        return page

    def shows(self, page, album, count):
        self.pages.holds(page, f"{CURRENT} === '{album}' && {TILES} === {count} && document.getElementById('count').textContent.startsWith('{count} photo')")

    def choose(self, page, album):
        page.locator(f"#sections a[data-album='{album}']").click()

    # What is looked at

    def switching(self):
        """From section to section without a page being loaded, and back by the browser's way."""
        page = self.page()
        page.locator("dialog.box").wait_for(state="attached")
        loads = []
        page.on("framenavigated", lambda frame: loads.append(frame.url))
        self.shows(page, "", 6)
        self.expect(page.locator("#sections i").count() == 0, "an album's name became markup")
        self.pages.until(lambda: page.evaluate("performance.getEntriesByType('resource').some((one) => one.name.includes('sections.js'))"), "the script of sections is loaded")
        page.wait_for_timeout(200)
        self.choose(page, self.church)
        self.shows(page, self.church, 4)
        self.expect(page.url == f"{self.address}?album={self.church}", f"the address is {page.url}")
        self.choose(page, self.party)
        self.shows(page, self.party, 2)
        self.pages.shot(page, "sections-desk")
        self.pages.axe(page, "a section")
        page.go_back()
        self.shows(page, self.church, 4)
        page.go_back()
        self.shows(page, "", 6)
        page.go_forward()
        self.shows(page, self.church, 4)
        return page

    def within(self, page):
        """The lightbox, a search and a ZIP stay within the section."""
        page.locator(".wall li > a").first.click()
        page.locator("dialog.box[open]").wait_for()
        self.pages.holds(page, "document.querySelector('.place').textContent.includes('4')")
        for _ in range(6):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(60)
        self.expect(page.evaluate("location.hash.slice(1)") == self.ids[3], "the arrows left the section, or did not reach its end")
        link = page.locator("#box-get").get_attribute("href")
        self.expect(link.endswith(f"/photos/{self.ids[3]}/download"), f"the photo is downloaded by {link}")
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="hidden")
        self.shows(page, self.church, 4)
        self.server.call("PATCH", f"/photos/{self.ids[0]}", {"caption": "Rings"})
        self.server.call("PATCH", f"/photos/{self.ids[5]}", {"caption": "Rings, too"})
        page.fill("[name=q]", "rings")
        self.pages.holds(page, f"{TILES} === 1 && document.querySelector('.wall li').id === '{self.ids[0]}'")
        self.expect(f"album={self.church}&q=rings" in page.url, f"the address is {page.url}")
        self.late_answer(page)
        page.locator("#open-download").click()
        page.locator("dialog.take a[data-size=screen]").wait_for()
        self.expect("Church" in page.locator("#take-title").inner_text(), "the panel does not say which section it is")
        with page.expect_download() as saved:
            page.locator("dialog.take a[data-size=screen]").click()
        with zipfile.ZipFile(saved.value.path()) as archive:
            self.expect(len(archive.namelist()) == 4 and archive.testzip() is None, f"the section comes as {archive.namelist()}")
        page.keyboard.press("Escape")

    def late_answer(self, page):
        """A change has the search's photos asked for anew; where one has left the search before they come, they are not shown any more."""
        late = []
        page.route("**/photos?*q=rings*", lambda route: route.continue_() if late else late.append(route))
        self.server.call("PATCH", f"/photos/{self.ids[0]}", {"caption": "Rings, too"})
        self.pages.until(lambda: page.evaluate("1") and late, "the search is asked for anew")
        page.fill("[name=q]", "")
        self.shows(page, self.church, 4)
        with page.expect_response("**/photos?*q=rings*") as answer:
            late[0].continue_()
        answer.value.finished()
        page.wait_for_timeout(300)
        self.shows(page, self.church, 4)

    def live(self, page):
        """What is put into the section, taken out of it or hidden comes and goes by itself; so do counts, and the section at last."""
        self.put([self.ids[5]], self.church)
        self.shows(page, self.church, 5)
        self.put([self.ids[5], self.ids[4]], self.church, "removeAlbums")
        self.shows(page, self.church, 4)
        self.server.call("PATCH", f"/photos/{self.ids[1]}", {"hidden": True})
        self.shows(page, self.church, 3)
        self.pages.holds(page, f"document.querySelector('#sections [data-album=\"{self.church}\"] small').textContent === '3'")
        page.reload(wait_until="load")
        self.shows(page, self.church, 3)
        deep = self.page(address=f"?album={self.church}#{self.ids[2]}")
        deep.locator("dialog.box[open]").wait_for()
        deep.keyboard.press("Escape")
        self.shows(deep, self.church, 3)
        self.pages.quiet("sections")
        self.put(self.ids[:4], self.church, "removeAlbums")
        page.wait_for_url(self.address)
        self.shows(page, "", 5)
        self.expect(page.locator(f"#sections [data-album='{self.church}']").count() == 0, "a section without photos is still there")
        # Another page that looks at the same is taken there as well; the browser's console has both answers then.
        deep.wait_for_url(self.address)
        self.shows(deep, "", 5)
        # The answers that there is no such section are said in the console, by the browser's own sentence.
        gone = re.compile(rf"status of 404 .*{re.escape(self.path)}/(photos|timeline)\?.*album={self.church}")
        self.pages.console = [line for line in self.pages.console if not gone.search(line)]
        self.pages.quiet("a section that has gone")
        for one in (page, deep):
            one.context.close()

    def arranging(self):
        """A host renames, moves and deletes albums, and looks at one; guests who look see each of it."""
        toasts = self.album("Toests", [self.ids[0], self.ids[2]])
        guest = self.page()
        named = "[...document.querySelectorAll('#sections a')].map((link) => link.innerText.replace(/\\s+/g, ' ').trim()).join(', ')"

        def sees(words):
            try:
                self.pages.until(lambda: guest.evaluate(f"() => {named}") == words, "", 30)
            except Exception:
                self.expect(False, f"guests see {guest.evaluate(f'() => {named}')} and not {words}")

        sees("All photos 5, The <i>party</i> 2, Toests 2")
        page = self.pages.host_page(self.event)
        page.locator("#album-filter").wait_for()
        page.locator("#edit-albums").click()
        row = page.locator(f"dialog[open] [data-album='{toasts}']")
        row.get_by_role("button", name="Rename Toests").click()
        page.locator("dialog[open] [name=name]").fill("")
        page.locator("dialog[open] form .main").click()
        self.expect(page.locator("dialog[open] .problem:visible").count() == 1, "an album without a name is taken")
        page.locator("dialog[open] [name=name]").fill("Toasts")
        # The page behind the list asks for albums as well, and that takes a while.
        asked, late = [], []
        page.route("**/albums", lambda route: (late if asked else asked).append(route) if route.request.method == "GET" else route.continue_())
        page.keyboard.press("Enter")
        self.pages.until(lambda: page.evaluate("true") and asked, "the list of albums is asked for")
        asked[0].continue_()
        row.get_by_role("button", name="Rename Toasts").wait_for()
        self.pages.until(lambda: page.evaluate("true") and late, "the page behind the list asks for albums")
        self.expect(page.evaluate("document.activeElement.className") == "rename", "the focus is lost after a rename")
        late[0].continue_()
        page.unroute("**/albums")
        sees("All photos 5, The <i>party</i> 2, Toasts 2")
        row.get_by_role("button", name="Move Toasts up").press("Enter")
        sees("All photos 5, Toasts 2, The <i>party</i> 2")
        self.expect(page.evaluate("document.activeElement.closest('[data-album]').dataset.album") == toasts, "the focus is lost after a move")
        page.wait_for_timeout(300)
        self.pages.shot(page, "host-albums")
        self.pages.axe(page, "the list of albums")
        row.get_by_role("button", name="Delete Toasts").click()
        question = page.locator("dialog[open]").last
        self.expect("Its 2 photos stay" in question.inner_text(), f"the question is: {question.inner_text()}")
        self.pages.axe(page, "a question about an album")
        question.locator(".danger").click()
        sees("All photos 5, The <i>party</i> 2")
        self.expect(len(self.server.call("GET", f"{self.path}/photos?limit=200")["photos"]) == 5, "photos have gone with their album")
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(300)
        self.pages.shot(page, "host-albums-phone")
        self.expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the list of albums is wider than a phone")
        page.keyboard.press("Escape")
        page.locator("dialog[open]").wait_for(state="detached")
        page.locator("#album-filter").select_option(label="The <i>party</i> (2)")
        self.pages.holds(page, "document.querySelectorAll('li[data-photo]').length === 2")
        self.put([self.ids[0]], self.party)
        self.pages.until(lambda: page.locator("li[data-photo]").count() == 3, "what comes into the album is shown", 20)
        self.put([self.ids[0]], self.party, "removeAlbums")
        self.pages.until(lambda: page.locator("li[data-photo]").count() == 2, "what leaves the album is not shown any more", 20)
        page.locator("#album-filter").scroll_into_view_if_needed()
        self.pages.shot(page, "host-album-phone")
        self.pages.axe(page, "the photos of an album, on a phone")
        self.pages.quiet("albums that are arranged")
        for one in (page, guest):
            one.context.close()

    def plain(self):
        """Without scripts, and on a phone: links in a row that moves sideways."""
        for number in range(12):
            self.album(f"A part with a long name {number}", [self.ids[2]])
        page = self.page((390, 844), scripts=False)
        page.locator("#sections a").nth(1).click()
        page.wait_for_url("**album=**")
        self.expect(page.locator(".wall li").count() == 2, "without JavaScript a section does not show its photos")
        page.context.close()
        page = self.page((390, 844), dark=True)
        self.expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the row makes the page wider than a phone")
        heights = page.evaluate("[...document.querySelectorAll('#sections a')].map((link) => link.offsetHeight)")
        self.expect(min(heights) >= 44, f"links of {min(heights)} px are hard to touch")
        self.pages.shot(page, "sections-phone")
        self.pages.axe(page, "sections on a phone, dark")
        page.context.close()

    def host(self):
        """What guests took home, and the end of the event, which is moved by one press."""
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=5, hours=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.server.call("PATCH", f"/events/{self.event['id']}", {"expiresAt": soon})
        guest = self.page()
        self.expect(guest.locator(".title").inner_text().count("These photos are here until") == 1, "guests do not read when the event ends")
        guest.context.close()
        path = f"/events/{self.event['id']}/downloads"
        self.pages.until(lambda: self.server.call("GET", path)["total"]["times"] >= 1, "the ZIP is counted", 30)
        page = self.pages.host_page(self.event)
        banner = page.locator(".ending")
        banner.wait_for()
        self.expect("ends in 5 days" in banner.inner_text(), f"the banner says: {banner.inner_text()}")
        page.locator("#show-downloads").click()
        page.locator("dialog[open] table").first.wait_for()
        page.wait_for_timeout(300)
        self.pages.shot(page, "host-downloads")
        self.pages.axe(page, "what guests took home")
        page.locator("dialog[open] .deeds button").click()
        page.locator("#extend-event").click()
        self.pages.holds(page, "document.querySelector('.ending').hidden")
        later = self.server.call("GET", f"/events/{self.event['id']}")["expiresAt"]
        self.expect(later > soon, f"the event ends at {later}")
        self.pages.quiet("the host's page with an end and downloads")
        page.context.close()

    def look(self):
        page = self.switching()
        self.within(page)
        self.live(page)
        self.arranging()
        self.plain()
        self.host()
