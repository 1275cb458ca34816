"""What a host presses seldom, for tools/pages.py: a new event, photos of guests that wait, failed uploads, captions, the look, the link,
and the ends of an event and of an account; and panels that are opened by keys alone."""
import base64
import datetime
import os
import re
import subprocess
import urllib.parse
import urllib.request
import zipfile

import bench_gallery as parts

DESK = (1280, 800)
OTHER, OTHERS_PASSWORD = "b@example.org", "another password for a bench"
NAME = "Ann <b>& Ben</b>"
NOTICES = "document.getElementById('notices').textContent"
FOCUS = "document.activeElement?.id"
NONE_FAILED = "document.getElementById('failed-title').closest('section').hidden"
WAITING = "document.querySelectorAll('[data-waiting]').length"


def size_in_words(count):
    """As the host's page says it."""
    units = ["bytes", "kB", "MB"]
    while count >= 1000 and len(units) > 1:
        count, units = count / 1000, units[1:]
    return f"{int(count + 0.5)} {units[0]}"


class Hosting:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event, self.token, self.made = None, None, 50_000

    def picture(self):
        self.made += 1
        path = os.path.join(self.pages.folder, f"HOST_{self.made}.jpg")
        subprocess.run(["convert", "-size", "300x200", "-seed", str(self.made), "plasma:", "-quality", "82", path], check=True)
        return path

    def shown(self):
        return self.server.call("GET", f"/events/{self.event['id']}")

    def photos(self, more=""):
        return self.server.call("GET", f"/events/{self.event['id']}/photos?limit=60{more}")["photos"]

    def tells(self, page, words):
        self.pages.until(lambda: words in page.evaluate(f"() => {NOTICES}"), f"a notice says: {words}")

    def asks(self, page, what):
        """The question that stands above the page, once it is there."""
        panel = page.locator("dialog[open]").last
        panel.locator(".danger").wait_for()
        self.pages.axe(page, what)
        return panel

    def closes(self, page):
        page.keyboard.press("Escape")
        page.locator("dialog[open]").wait_for(state="detached")

    def forgets(self, pattern):
        """Answers that say no are said in the console by the browser itself; nothing else is."""
        self.pages.console = [line for line in self.pages.console if not re.search(pattern, line)]

    # What guests do

    @property
    def address(self):
        return f"{self.pages.base}/e/{self.event['slug']}"

    def entry(self, event):
        """Where the QR code leads to, by this server's own name."""
        return f"{self.pages.base}/e/{event['slug']}{event['entryUrl'].split(event['slug'])[1]}"

    def guest(self, address):
        page = self.pages.page(DESK)
        page.goto(address, wait_until="load")
        page.locator(".live:not([hidden])").wait_for()
        return page

    def sees(self, guest, ids):
        """Of so many photos exactly those."""
        shown = "[...document.querySelectorAll('.wall li')].map((tile) => tile.id).sort().join()"
        self.pages.holds(guest, f"{shown} === '{','.join(sorted(ids))}'")

    def bring(self, guest, name):
        """A guest's photo, with the cookies of that guest's browser. Returns what the upload is called."""
        with open(self.picture(), "rb") as file:
            body = file.read()
        about = {"filename": f"IMG_{self.made}.jpg", "filetype": "image/jpeg", "guest": name}
        words = ",".join(f"{key} {base64.b64encode(text.encode()).decode()}" for key, text in about.items())
        begun = guest.request.post(f"{self.address}/uploads/tus", headers={
            "Tus-Resumable": "1.0.0", "Upload-Length": str(len(body)), "Upload-Metadata": words})
        self.expect(begun.status == 201, f"a guest's photo was answered {begun.status} {begun.text()}")
        place = urllib.parse.urljoin(self.pages.base, begun.headers["location"])
        sent = guest.request.patch(place, data=body, headers={
            "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
        self.expect(sent.status == 204, f"a guest's bytes were answered {sent.status} {sent.text()}")
        return place.rsplit("/", 1)[1]

    def likes(self, guest, photo, words=None):
        path = f"{self.address}/photos/{photo}"
        answers = [guest.request.put(f"{path}/heart")]
        if words:
            answers.append(guest.request.post(f"{path}/comments", data={"name": "Cleo", "text": words}))
        self.expect(all(answer.ok for answer in answers), f"a guest who likes a photo was answered {[answer.status for answer in answers]}")

    # What another account does

    def as_other(self, method, target, body=None):
        was, self.server.token = self.server.token, self.token
        try:
            return self.server.call(method, target, body)
        finally:
            self.server.token = was

    def command(self, *words):
        run = self.server.command(*words)
        self.expect(run.returncode == 0, f"gallery {' '.join(words)} ended with {run.returncode}: {run.stderr}")

    # What is looked at

    def new_event(self):
        """Mistakes are told beside their fields, and nothing is made; a good one is in the list, has the focus there, and opens."""
        before = len(self.server.call("GET", "/events"))
        page = self.pages.page(DESK)
        page.goto(f"{self.pages.base}/host")
        self.pages.log_in(page, parts.PASSWORD)
        form = page.locator("#new-event")
        field = lambda name: form.locator(f"[name={name}]")
        problem = lambda name: form.locator(f".field:has([name={name}]) .problem")
        submit = form.locator(".main")
        zone = field("timeZone").input_value()
        self.expect(zone, "a new event is not offered the zone of the host's browser")
        field("pin").fill("12")
        field("guestUploadCredits").fill("-1")
        submit.click()
        for name, words in (("name", ""), ("pin", "A PIN has 4 to 12 digits."), ("guestUploadCredits", "")):
            problem(name).wait_for()
            said = problem(name).inner_text()
            self.expect(said and words in said and field(name).get_attribute("aria-invalid") == "true", f"beside {name} the form says: {said!r}")
        self.expect(page.evaluate("document.activeElement.name") == "name", "the first mistake does not get the focus")
        self.pages.axe(page, "a new event with mistakes")
        self.pages.shot(page, "host-new-event")
        field("name").fill(NAME)
        form.locator(".make-pin").click()
        self.pin = field("pin").input_value()
        self.expect(re.fullmatch("[0-9]{6}", self.pin), f"a PIN that is made is {self.pin!r}")
        field("guestUploadCredits").fill("40")
        field("timeZone").fill("Europe/Atlantis")
        submit.click()
        problem("timeZone").wait_for()
        self.pages.until(lambda: page.evaluate("document.activeElement.name") == "timeZone", "a zone that the server does not know gets the focus")
        self.expect(problem("name").is_hidden() and not field("name").get_attribute("aria-invalid"), "a mistake that was put right is still told")
        self.expect(field("name").input_value() == NAME, "what was typed is gone after a refusal")
        self.expect(len(self.server.call("GET", "/events")) == before, "a form with mistakes makes an event")
        field("timeZone").fill("Europe/Vienna")
        end = (datetime.datetime.now() + datetime.timedelta(days=5, hours=1)).replace(second=0, microsecond=0)
        field("expiresAt").fill(end.strftime("%Y-%m-%dT%H:%M"))
        form.get_by_label("Guests can add their own photos").check()
        submit.click()
        self.tells(page, f"“{NAME}” is made.")
        link = page.locator(".events a", has_text=NAME)
        link.wait_for()
        self.pages.holds(page, "document.activeElement.matches('.events a')")
        self.expect(NAME in page.evaluate("document.activeElement.textContent"), "another event than the new one has the focus")
        self.expect("ends in 5 days" in link.inner_text(), f"the list says: {link.inner_text()}")
        self.expect(field("name").input_value() == "" and field("pin").input_value() == "", "the form still has what the last event was made of")
        self.expect(field("timeZone").input_value() == zone, "the next event is not offered the zone of the host's browser")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=NAME, exact=True).wait_for()
        self.event = self.server.call("GET", f"/events/{page.url.rsplit('/', 1)[1]}")
        wanted = {"name": NAME, "hasPin": True, "timeZone": "Europe/Vienna", "allowsHearts": True, "allowsGuestUploads": True,
                  "guestUploadsModerated": True, "guestUploadCredits": 40}
        told = {name: self.event[name] for name in wanted}
        self.expect(told == wanted, f"the event was made as {told}")
        utc = end.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:00")
        self.expect(self.event["expiresAt"].startswith(utc), f"the event ends at {self.event['expiresAt']}, not {utc}")
        self.forgets("status of 409")
        self.pages.quiet("a new event")
        return page

    def waiting(self, page, guest):
        """What has come just now is not shown by a press that was meant for others; then all of it is, and of others nothing."""
        page.locator(".live-state.is-open").wait_for()
        page.evaluate("""() => {
          const press = () => document.querySelector('[data-waiting]') && (watch.disconnect(), document.getElementById('approve-all').click());
          const watch = new MutationObserver(press);
          watch.observe(document.querySelector('.waiting'), { childList: true });
        }""")
        brought = [self.bring(guest, "Cleo")]
        self.tells(page, "These photos have come just now. Look at them first.")
        self.expect(self.shown()["counts"]["waiting"] == 1, "a press in the moment in which a photo comes shows it to guests")
        brought.append(self.bring(guest, "Cleo"))
        self.pages.holds(page, f"{WAITING} === 2 && document.getElementById('waiting-title').textContent === 'Waiting for you: 2 photos'")
        first = [photo["id"] for photo in self.photos("&waiting=true")]
        self.sees(guest, [])
        # As long as a host is given to look at what has come.
        page.wait_for_timeout(2100)
        page.locator("#approve-all").press("Enter")
        self.tells(page, "Guests see 2 photos more.")
        self.sees(guest, first)
        self.expect(self.shown()["counts"]["waiting"] == 0, "photos that are shown to guests still wait")
        self.pages.holds(page, f"{FOCUS} === 'edit-event' && document.getElementById('waiting-title').closest('section').hidden")
        brought += [self.bring(guest, "Bob"), self.bring(guest, "Bob")]
        self.pages.holds(page, f"{WAITING} === 2")
        page.locator("#reject-all").press("Enter")
        words = self.asks(page, "a question about photos of guests").inner_text()
        self.expect("Delete 2 photos of guests?" in words, f"the question is: {words}")
        self.closes(page)
        self.pages.holds(page, f"{FOCUS} === 'reject-all'")
        self.expect(self.shown()["counts"]["waiting"] == 2, "photos are deleted though the question was closed")
        page.locator("#reject-all").click()
        page.locator("dialog[open] .danger").click()
        self.tells(page, "2 photos are deleted.")
        self.pages.holds(page, f"{FOCUS} === 'edit-event' && document.getElementById('waiting-title').closest('section').hidden")
        counts = self.shown()["counts"]
        self.expect((counts["waiting"], counts["photos"]) == (0, 2), f"after two of four were deleted there are {counts}")
        self.sees(guest, first)
        told = {upload["uploadId"]: upload["state"] for upload in guest.request.get(f"{self.address}/uploads").json()["data"]["uploads"]}
        self.expect([told[upload] for upload in brought] == ["shown", "shown", "refused", "refused"], f"the guest is told {told}")
        # A picture that was on its way when its photo was deleted.
        self.forgets(r"status of 404 .*/images/")
        self.pages.quiet("photos of guests that wait")
        return first

    def captions(self, page, guest):
        """Of those that are selected the captions go, for guests as well; of others they stay."""
        self.pages.upload(1, self.event)
        ids = [photo["id"] for photo in self.photos()]
        for number, photo in enumerate(ids):
            self.server.call("PATCH", f"/photos/{photo}", {"caption": f"Dance {number}"})
        alt = lambda photo: f"document.getElementById('{photo}')?.querySelector('img').alt"
        self.pages.holds(guest, " && ".join(f"{alt(photo)} === 'Dance {number}'" for number, photo in enumerate(ids)))
        words = "[...document.querySelectorAll('li[data-photo] .words')].map((one) => one.textContent).sort().join()"
        self.pages.holds(page, f"{words} === 'Dance 0,Dance 1,Dance 2'")
        page.locator("#select").click()
        for photo in ids[:2]:
            page.locator(f"[data-photo='{photo}'] .edit").click()
        page.locator("#clear-captions").click()
        said = self.asks(page, "a question about captions").inner_text()
        self.expect("2 photos have no caption afterwards." in said, f"the question is: {said}")
        page.locator("dialog[open] .danger").click()
        page.locator("dialog[open]").wait_for(state="detached")
        left = {photo["id"]: photo["caption"] or "" for photo in self.photos()}
        self.expect(left == {ids[0]: "", ids[1]: "", ids[2]: "Dance 2"}, f"the captions are {left}")
        self.pages.holds(page, f"{words} === 'Dance 2' && {FOCUS} === 'clear-captions'")
        self.pages.holds(guest, f"{alt(ids[0])} === 'Photo' && {alt(ids[1])} === 'Photo' && {alt(ids[2])} === 'Dance 2'")
        page.locator("#end-picking").click()
        self.pages.quiet("captions that are cleared")

    def look_removed(self, page, guest):
        """A logo and a cover are taken away again, each by itself, and guests who load the page anew see neither."""
        self.server.call("PATCH", f"/events/{self.event['id']}", {"coverPhoto": self.photos()[-1]["id"]})
        page.locator("#edit-look").click()
        path = os.path.join(self.pages.folder, "hosting-logo.png")
        subprocess.run(["convert", "-size", "300x100", "xc:none", "-fill", "#8a3b4a", "-draw", "circle 150,50 150,10", path], check=True)
        page.locator("#logo-form [name=logo]").set_input_files(path)
        page.locator("#logo-form .main").click()
        page.locator("#remove-logo").wait_for()
        self.pages.holds(page, "[...document.querySelectorAll('dialog .shown')].filter((image) => image.naturalWidth > 0).length === 2")
        self.pages.axe(page, "the look with a cover and a logo")
        guest.reload(wait_until="load")
        self.expect(guest.locator(".cover").count() == 1 and guest.locator("header .logo").count() == 1, "guests see no cover or no logo")
        page.locator("#remove-logo").press("Enter")
        self.tells(page, "There is no logo.")
        event = self.shown()
        self.expect(event["logo"] is None and event["coverPhoto"], f"without its logo the event has {event['logo']} and {event['coverPhoto']}")
        self.pages.holds(page, f"{FOCUS} === 'logo-title' && !document.getElementById('remove-logo')")
        page.locator("#remove-cover").press("Enter")
        self.tells(page, "There is no cover.")
        self.expect(self.shown()["coverPhoto"] is None, "the event still has its cover")
        self.pages.holds(page, f"{FOCUS} === 'cover-title' && !document.getElementById('remove-cover')")
        self.pages.axe(page, "the look without either")
        self.closes(page)
        guest.reload(wait_until="load")
        self.expect(guest.locator(".cover, header .logo").count() == 0, "guests still see a cover or a logo")
        guest.locator(".live:not([hidden])").wait_for()
        self.pages.quiet("a look that is taken away")

    def taken_home(self, page, guest):
        """All photos by the button that the end of the event offers, hidden ones too, which is not counted; then one ZIP by a guest."""
        photos = self.photos()
        self.server.call("PATCH", f"/photos/{photos[0]['id']}", {"hidden": True})
        self.pages.holds(page, "document.querySelectorAll('li.is-hidden').length === 1")
        self.expect("ends in 5 days" in page.locator(".ending").inner_text(), "the page does not say that the event ends")
        with page.expect_download() as saved:
            page.locator("#take-before-end").click()
        with zipfile.ZipFile(saved.value.path()) as archive:
            self.expect(len(archive.namelist()) == len(photos) and archive.testzip() is None, f"before the end there come {archive.namelist()}")
        page.locator("#show-downloads").click()
        page.locator("dialog[open]").get_by_text("Guests have taken nothing home yet.").wait_for()
        self.pages.axe(page, "downloads of which there are none")
        self.closes(page)
        guest.locator("#open-download").click()
        with guest.expect_download() as saved:
            guest.locator("dialog.take a[data-size=screen]").click()
        self.bytes = os.path.getsize(saved.value.path())
        guest.keyboard.press("Escape")
        guest.locator("dialog.take").wait_for(state="detached")
        self.pages.quiet("photos that are taken home")

    def give(self, guest, ids):
        """Two hearts and a comment for one photo, a heart for another. Hosts are told a while later, as of much at once."""
        second = self.guest(self.entry(self.event))
        self.likes(guest, ids[0], "Lovely")
        self.likes(second, ids[0])
        self.likes(guest, ids[1])
        second.context.close()

    def liked(self, page, ids):
        """More of what guests liked comes by keys, in its order, and the focus goes on; one photo's comments are opened by keys."""
        # The server's own pages, shorter than a host's are: one photo each.
        page.route("**/reactions?*", lambda route: route.continue_(url=re.sub("limit=[0-9]+", "limit=1", route.request.url)))
        self.settled(page, page.reload)
        liked = "[...document.querySelectorAll('[data-liked]')].map((item) => item.dataset.liked).join()"
        self.pages.holds(page, f"{liked} === '{ids[0]}' && !document.getElementById('more-liked').hidden")
        self.expect("2 hearts · 1 comment" in page.locator("[data-liked]").inner_text(), f"it says {page.locator('[data-liked]').inner_text()}")
        self.tab_to(page, "#more-liked")
        page.keyboard.press("Enter")
        # There are no more, although the page is full.
        self.pages.holds(page, f"{liked} === '{ids[0]},{ids[1]}' && document.getElementById('more-liked').hidden")
        self.pages.holds(page, f"document.activeElement.dataset.liked === '{ids[1]}'")
        page.unroute("**/reactions?*")
        self.panel(page, "[data-liked] button", "Comments", "what guests wrote", anew="ul.liked")
        self.pages.quiet("more of what guests liked")

    def settled(self, page, deed):
        """After that deed the page reads all lists anew, of which that of photos that wait is the last."""
        with page.expect_response("**/photos?waiting=true*"):
            deed()

    def tab_to(self, page, selector):
        """As a host without a mouse gets there, around the whole page at most."""
        page.evaluate("() => document.activeElement?.blur()")
        here = f"document.activeElement === document.querySelector(\"{selector}\")"
        for _ in range(80):
            if page.evaluate(here):
                return
            page.keyboard.press("Tab")
        self.expect(False, f"80 times Tab do not lead to {selector}")

    def panel(self, page, selector, title, what, key="Enter", anew=""):
        """Opened by a key, with the focus in it, and closed by Escape, with the focus where it was, also where a list is made anew."""
        self.tab_to(page, selector)
        page.keyboard.press(key)
        page.locator("dialog[open] h2", has_text=title).first.wait_for()
        self.pages.holds(page, "document.activeElement.closest('dialog[open]')")
        page.wait_for_timeout(300)
        self.pages.axe(page, what)
        page.keyboard.press("Tab")
        self.expect(page.evaluate("document.activeElement.matches('body, dialog[open] *')"), f"{what}: Tab leads to what is behind the panel")
        if anew:
            page.evaluate("(list) => list.replaceChildren(...[...list.children].map((row) => row.cloneNode(true)))", page.query_selector(anew))
        self.closes(page)
        back = f"() => document.activeElement === document.querySelector(\"{selector}\")"
        self.pages.until(lambda: page.evaluate(back), f"{what}: the focus comes back")

    def by_keys(self, page):
        self.panel(page, "#edit-look", "Look", "the look, by keys", "Space")
        self.panel(page, "#edit-event", "Edit the event", "an event that is edited, by keys", "Space")
        # Its first field has the focus, and Enter saves.
        page.keyboard.press("Enter")
        page.locator("#edit-event-form").wait_for()
        self.expect(page.evaluate("document.activeElement.name") == "name", "the name does not have the focus in the form of an event")
        page.keyboard.press("End")
        page.keyboard.type(", both")
        page.keyboard.press("Enter")
        page.locator("dialog[open]").wait_for(state="detached")
        self.expect(self.shown()["name"] == f"{NAME}, both", f"an event that is renamed by keys is called {self.shown()['name']}")
        self.pages.holds(page, f"{FOCUS} === 'edit-event' && document.querySelector('h1').textContent === '{NAME}, both'")
        self.pages.quiet("panels that are opened by keys")

    def downloads(self, page):
        """The panel says what a guest has really taken: one ZIP of two photos, once."""
        path = f"/events/{self.event['id']}/downloads"
        self.pages.until(lambda: self.server.call("GET", path)["total"]["times"] >= 1, "the ZIP is counted", 30)
        total = self.server.call("GET", path)["total"]
        wanted = {"times": 1, "photos": 2, "bytes": self.bytes}
        self.expect(total == wanted, f"of one ZIP there is counted {total} and not {wanted}")
        self.panel(page, "#show-downloads", "What guests took home", "what guests took home, by keys")
        page.keyboard.press("Enter")
        panel = page.locator("dialog[open]")
        panel.locator("table").first.wait_for()
        size = size_in_words(self.bytes)
        self.expect(panel.locator("p").first.inner_text() == f"1 download of 2 photos, {size}, by 1 device.", f"the panel says: {panel.inner_text()}")
        cells = lambda place: panel.locator("table").nth(place).locator("tbody :is(th, td)").all_inner_texts()
        self.expect(cells(0) == ["ZIPs, as large as screens", "1", "2", size], f"by kind: {cells(0)}")
        self.expect(cells(1)[1:] == ["1", "2", size], f"by day: {cells(1)}")
        self.expect(cells(2)[0].startswith("Guest 1") and cells(2)[1:3] == ["1", size], f"by device: {cells(2)}")
        self.closes(page)
        self.pages.quiet("what guests took home")

    def renewed(self, page, guest):
        """The old QR code leads to the PIN, in an open page as well; the new one lets in, and who has typed the PIN stays."""
        typed = self.pages.page(DESK)
        typed.goto(self.address, wait_until="load")
        typed.fill("[name=pin]", self.pin)
        typed.keyboard.press("Enter")
        typed.locator(".live:not([hidden])").wait_for()
        old = self.entry(self.event)
        page.locator("#renew-link").click()
        self.asks(page, "a question about the link")
        self.closes(page)
        self.expect(self.shown()["entryUrl"] == self.event["entryUrl"], "the link is another though the question was closed")
        page.locator("#renew-link").click()
        page.locator("dialog[open] .danger").click()
        self.tells(page, "The link and its QR code are new.")
        self.event = self.shown()
        new = self.entry(self.event)
        self.expect(new != old, "the link is the same as before")
        self.pages.holds(page, f"document.getElementById('guest-link').value === '{self.event['entryUrl']}'")
        path = os.path.join(self.pages.folder, "renewed.png")

        def read():
            page.locator(".guests svg.qr").screenshot(path=path)
            return subprocess.run(["zbarimg", "-q", "--raw", path], capture_output=True, text=True).stdout.strip()

        self.pages.until(lambda: read() == self.event["entryUrl"], "the code on the host's page is the new one")
        # Without doing anything.
        guest.locator("[name=pin]").wait_for()
        fresh = self.pages.page(DESK)
        fresh.goto(old, wait_until="load")
        said = fresh.get_by_role("alert").inner_text()
        self.expect("has been replaced" in said and not fresh.locator(".wall").count(), f"the old code leads to: {said}")
        fresh.goto(new, wait_until="load")
        fresh.locator(".wall li").first.wait_for()
        ids = [photo["id"] for photo in self.photos() if not photo["hidden"]]
        self.sees(fresh, ids)
        self.server.call("PATCH", f"/photos/{ids[0]}", {"hidden": True})
        self.sees(typed, ids[1:])
        self.forgets("status of (401|403)")
        self.pages.quiet("a link that is made anew")
        for one in (guest, typed):
            one.context.close()
        return fresh

    def deleted(self, page, guest):
        """The question says what goes; guests who look are told that there is nothing, and the host is back among the others."""
        guest.locator(".live:not([hidden])").wait_for()
        page.locator("#delete-event").click()
        words = self.asks(page, "a question about an event").inner_text()
        self.expect(f"Delete “{NAME}, both”?" in words and "3 photos and their files" in words, f"the question is: {words}")
        self.closes(page)
        self.expect(self.shown()["name"] == f"{NAME}, both", "a question that is closed deletes the event")
        self.pages.holds(page, f"{FOCUS} === 'delete-event'")
        page.locator("#delete-event").click()
        page.locator("dialog[open] .danger").click()
        self.tells(page, "both” is deleted.")
        page.get_by_role("heading", name="Your events").wait_for()
        self.expect(page.locator(".events a", has_text=NAME).count() == 0, "an event that was deleted is in the list")
        self.expect(self.event["id"] not in [event["id"] for event in self.server.call("GET", "/events")], "the server still has the event")
        guest.get_by_role("heading", name="There is nothing here").wait_for()
        self.forgets("status of 404")
        self.pages.quiet("an event that is deleted")
        guest.context.close()

    def retried(self):
        """Uploads that have failed because nothing was left to pay them are tried again once there is: those of a bridge, and the page's own."""
        path = os.path.join(self.pages.folder, "others-password")
        with open(path, "w") as file:
            file.write(OTHERS_PASSWORD)
        self.command("user", "add", OTHER, "--password-file", path, "--credits", "1")
        self.token = None
        self.token = self.as_other("POST", "/auth/login", {"email": OTHER, "password": OTHERS_PASSWORD})["accessToken"]
        self.as_other("POST", "/consent", {"version": 1})
        event = self.as_other("POST", "/events", {"name": "Of another"})
        self.failing(event)
        page = self.pages.page(DESK)
        page.goto(f"{self.pages.base}/host#event/{event['id']}")
        self.log_in(page)
        page.locator(".failures li").nth(1).wait_for()
        said = page.locator(".failures li").first.inner_text()
        self.expect("no credits are left" in said, f"an upload that failed says: {said}")
        page.locator("#retry-all").click()
        self.tells(page, "2 uploads are tried again.")
        counts = lambda: [self.as_other("GET", f"/events/{event['id']}")["counts"][name] for name in ("photos", "failed")]
        self.pages.until(lambda: counts() == [1, 2], "they fail once more while nothing is left")
        self.pages.holds(page, "document.querySelectorAll('.failures li').length === 2")
        self.command("credits", "grant", OTHER, "3")
        page.locator("#retry-all").press("Enter")
        self.pages.until(lambda: counts() == [3, 0], "failed uploads that are tried again become photos")
        self.pages.holds(page, f"document.querySelectorAll('li[data-photo]').length === 3 && {NONE_FAILED}")
        self.incurable(page, event, counts)
        self.by_page(page, counts)
        self.pages.quiet("uploads that are tried again")
        return page, event

    def incurable(self, page, event, counts):
        """What is no picture becomes none by being tried again, which is told."""
        self.put(self.place(event, b"no picture"), b"no picture")
        self.pages.until(lambda: counts() == [3, 1], "what is no picture fails")
        page.locator("#retry-all:visible").click()
        self.tells(page, "None of them can go better: they have to be uploaded anew.")
        self.expect(counts() == [3, 1], f"what is no picture is tried again: {counts()}")
        self.as_other("POST", f"/uploads/events/{event['id']}/dismiss-all")
        self.pages.holds(page, NONE_FAILED)

    def failing(self, event):
        """Three that are begun while there is one credit: it pays the first that becomes a photo."""
        bodies = []
        for _ in range(3):
            with open(self.picture(), "rb") as file:
                bodies.append(file.read())
        places = [self.place(event, body) for body in bodies]
        for place, body in zip(places, bodies):
            self.put(place, body)
        ids = ",".join(place["uploadId"] for place in places)
        states = lambda: sorted(upload["status"] for upload in self.as_other("GET", f"/uploads/status?ids={ids}"))
        self.pages.until(lambda: states() == ["completed", "failed", "failed"], "one credit pays one of three photos", 30)

    def place(self, event, body):
        return self.as_other("POST", "/uploads/presign", {"eventId": event["id"], "contentType": "image/jpeg", "contentLength": len(body)})

    def put(self, place, body):
        request = urllib.request.Request(place["putUrl"], data=body, method="PUT", headers=place["requiredHeaders"])
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.expect(answer.status == 200, f"bytes were answered {answer.status}")
        # A store tells nodes of nothing: they look when they are asked.
        self.as_other("GET", f"/uploads/status?ids={place['uploadId']}")

    def log_in(self, page):
        page.fill("#login [name=email]", OTHER)
        page.fill("#login [name=password]", OTHERS_PASSWORD)
        page.keyboard.press("Enter")

    def by_page(self, page, counts):
        """The same with files that are chosen on the page: all three are begun before any of them has come."""
        held = []
        page.route("**/uploads/tus/*", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
        page.set_input_files("#choose-files", [self.picture() for _ in range(3)])
        self.pages.until(lambda: page.evaluate("true") and len(held) == 3, "three files are begun at once")
        for route in held:
            route.continue_()
        page.unroute("**/uploads/tus/*")
        failed = page.locator(".uploads li[data-state=failed]")
        failed.nth(1).wait_for(timeout=30_000 * self.pages.patience)
        self.pages.until(lambda: counts() == [4, 2], "one credit pays one of three files")
        self.expect("o credits are left" in failed.first.inner_text(), f"a file that failed says: {failed.first.inner_text()}")
        self.pages.axe(page, "two uploads that failed")
        self.command("credits", "grant", OTHER, "2")
        page.locator("#retry-uploads").click()
        self.pages.until(lambda: counts() == [6, 0], "files that are tried again become photos", 30)
        self.pages.holds(page, "document.querySelector('.totals').textContent.startsWith('3 of 3 photos are here')")
        self.expect(page.locator("#retry-uploads").is_hidden(), "there is nothing to try again, and a button for it")

    def account_deleted(self, page, event):
        """The address has to be typed; then nothing of the account is left, for guests neither."""
        guest = self.guest(f"{self.pages.base}/e/{event['slug']}")
        self.pages.menu(page, "#delete-account")
        panel = self.asks(page, "a question about an account")
        danger = panel.locator(".danger")
        for typed, is_enough in (("", False), ("b@example", False), (OTHER, True)):
            panel.locator("[name=word]").fill(typed)
            self.expect(danger.is_enabled() == is_enough, f"with {typed!r} typed the account can{'not' if is_enough else ''} be deleted")
        danger.click()
        page.locator("#login").wait_for()
        self.tells(page, "The account is deleted.")
        guest.get_by_role("heading", name="There is nothing here").wait_for()
        self.log_in(page)
        page.locator("#login .form-problem:not([hidden])").wait_for()
        self.expect(page.locator("#login").is_visible(), "an account that was deleted is logged in to")
        self.forgets("status of (401|404)")
        self.pages.quiet("an account that is deleted")
        page.context.close()
        guest.context.close()

    def panels(self, page):
        """What is seldom opened reads well to all: clocks of cameras, log-ins, passwords."""
        event = self.server.call("POST", "/events", {"name": "By one camera"})
        self.pages.shot_at(event, "2026:11:21 20:00:00")
        self.settled(page, lambda: page.goto(f"{self.pages.base}/host#event/{event['id']}"))
        self.panel(page, "#cameras .clock", "Correct a clock", "the clock of a camera", anew="#cameras")
        for button, ready, what in (("#my-sessions", "li[data-session]", "the list of log-ins"),
                                    ("#change-my-password", "#change-password", "another password")):
            self.pages.menu(page, button)
            page.locator(f"dialog[open] {ready}").first.wait_for()
            page.wait_for_timeout(300)
            self.pages.axe(page, what)
            self.closes(page)
            self.pages.holds(page, "document.activeElement.matches('#who summary')")
        self.pages.menu(page, "#logout")
        page.locator("#forgotten").click()
        page.locator("#ask-for-link").wait_for()
        page.wait_for_timeout(300)
        self.pages.axe(page, "a password that is forgotten")
        self.closes(page)
        self.expect(page.evaluate(f"() => {FOCUS}") == "forgotten", "the focus does not come back to a forgotten password")
        # So is the browser's advice to name the account in a form for passwords.
        self.forgets("status of 401|username fields")
        self.pages.quiet("panels that are seldom opened")
        page.context.close()

    def look(self):
        page = self.new_event()
        guest = self.guest(self.entry(self.event))
        liked = self.waiting(page, guest)
        self.give(guest, liked)
        self.captions(page, guest)
        self.look_removed(page, guest)
        self.taken_home(page, guest)
        self.liked(page, liked)
        self.by_keys(page)
        self.downloads(page)
        self.deleted(page, self.renewed(page, guest))
        self.account_deleted(*self.retried())
        self.panels(page)
