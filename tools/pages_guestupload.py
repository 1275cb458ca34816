"""Photos and videos of guests, for tools/pages.py: a guest adds some with a phone, goes on with one after a
reload in its middle, and takes one back; the host decides, on a video once it has been played."""
import os
import re
import shutil
import subprocess

from pages_pace import slowly

ROWS = "[...document.querySelectorAll('.brought li')]"


class GuestUploads:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Brought", "allowsGuestUploads": True, "guestUploadCredits": 5})
        self.address = f"{pages.base}/e/{self.event['slug']}"
        self.made = 9000

    def picture(self, size="900x600", is_large=False):
        self.made += 1
        path = os.path.join(self.pages.folder, f"IMG_{self.made}.jpg")
        look = ["xc:gray", "+noise", "Random", "-quality", "95"] if is_large else ["plasma:", "-quality", "82"]
        subprocess.run(["convert", "-size", size, "-seed", str(self.made), *look, path], check=True)
        return path

    def page(self, size=(390, 844), **wishes):
        page = self.pages.page(size, **wishes)
        page.goto(self.address, wait_until="load")
        page.locator("dialog.box").wait_for(state="attached")
        return page

    def open(self, page):
        page.locator("#open-uploads").click()
        page.locator("dialog.bring[open]").wait_for()

    def row(self, path):
        return f"{ROWS}.find((row) => row.textContent.includes('{os.path.basename(path)}'))"

    def becomes(self, page, path, state):
        self.pages.until(lambda: page.evaluate(f"() => {self.row(path)}?.dataset.state") == state, f"{os.path.basename(path)} is {state}", 40)

    def counts(self):
        return self.server.call("GET", f"/events/{self.event['id']}")["counts"]

    # What is looked at

    def closed(self):
        """Where hosts allow none there is nothing of it."""
        other = self.server.call("POST", "/events", {"name": "Not brought"})
        page = self.pages.page((390, 844))
        page.goto(f"{self.pages.base}/e/{other['slug']}", wait_until="load")
        self.expect(not page.locator("#open-uploads").count(), "a page of an event that takes none has a button for photos of guests")
        page.close()

    def brought(self):
        guest = self.page()
        loaded = guest.evaluate("() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/bring.js'))")
        self.expect(not loaded, "what brings photos is loaded before a guest wants that")
        self.open(guest)
        self.pages.axe(guest, "the panel for photos of guests")
        guest.locator("#bring-name").fill("Ann")
        paths = [self.picture(), self.picture("600x900")]
        notes = os.path.join(self.pages.folder, "notes.txt")
        with open(notes, "w") as file:
            file.write("No photo")
        guest.locator("#bring-files").set_input_files([notes, *paths])
        for path in paths:
            self.becomes(guest, path, "waiting")
        said = guest.locator("#status").text_content()
        self.expect(said == "2 of 2 sent", f"after two photos, beside a file that is none, the panel says: {said}")
        guest.get_by_role("button", name="Remove notes.txt").click()
        guest.locator(".brought li", has_text="notes.txt").wait_for(state="detached")
        self.pages.shot(guest, "guest-uploads-phone")
        self.pages.axe(guest, "the panel with photos that wait")
        small = guest.evaluate("""() => [...document.querySelectorAll('dialog.bring :is(button, input:not([hidden]))')]
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44).length""")
        self.expect(not small, "something in the panel is too small for a finger")
        self.expect(guest.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), "the panel is wider than a phone")
        self.expect(self.counts()["waiting"] == 2, "the host is not told of two photos that wait")
        return guest, paths

    def decided(self, guest, paths):
        host = self.pages.host_page(self.event, (1280, 800))
        self.pages.until(lambda: "2 photos" in host.locator("#waiting-title").inner_text(), "the host's page says that two photos wait")
        self.pages.shot(host, "guest-uploads-host")
        self.pages.axe(host, "the host's page with photos that wait")
        names = [os.path.basename(path) for path in paths]
        other = self.page((1280, 800))
        host.get_by_role("button", name=f"Show {names[0]} by Ann to guests").click()
        photo = other.locator(".wall li")
        photo.first.wait_for()
        host.get_by_role("button", name=f"Delete {names[1]} by Ann").click()
        host.locator("dialog[open] .danger").click()
        self.pages.until(lambda: not host.locator("#waiting-title").is_visible(), "nothing waits any more")
        photo.first.locator("a").first.click()
        other.locator("dialog.box[open] .credit").wait_for()
        self.expect(other.locator(".credit").inner_text() == "Photo by Ann", "the lightbox does not say who brought the photo")
        self.pages.axe(other, "the lightbox with who brought the photo")
        other.keyboard.press("Escape")
        # What the guest has closed and opened again says the same.
        guest.keyboard.press("Escape")
        guest.locator("dialog.bring").wait_for(state="detached")
        self.open(guest)
        self.becomes(guest, paths[0], "shown")
        self.becomes(guest, paths[1], "refused")
        return host, other

    def reloaded(self, guest):
        """A page that was loaded anew knows what was brought, and who did."""
        guest.reload(wait_until="load")
        guest.locator("dialog.box").wait_for(state="attached")
        self.open(guest)
        self.pages.until(lambda: guest.evaluate(f"() => {ROWS}.length") == 2, "a page that is loaded anew knows what was brought")
        self.expect(guest.locator("#bring-name").input_value() == "Ann", "the name has to be typed again")

    def interrupted(self):
        """A page that is loaded anew in the middle of a photo: the browser asks first, and the same photo goes on from where it was."""
        page = self.page()
        slow = slowly(page)
        path = self.picture("2200x1500", is_large=True)
        self.open(page)
        page.locator("#bring-files").set_input_files(path)
        sent = "() => Number(document.querySelector('.brought progress')?.value ?? 0)"
        self.pages.until(lambda: page.evaluate(sent) > 300_000, "the photo is under way", 30)
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        # By the page's own script: the one of the browser's tools asks no page.
        with page.expect_navigation(wait_until="load"):
            page.evaluate("() => void setTimeout(() => location.reload())")
        self.expect(asked == ["beforeunload"], f"leaving while a photo is sent asks {asked}")
        page.locator("dialog.box").wait_for(state="attached")
        slow.detach()
        begun, taken = [], []

        def note(answer):
            if answer.request.method == "POST" and answer.url.endswith("/uploads/tus"):
                begun.append(answer.url)
            # Until the server has put away what the page that has gone was sending, it takes nothing.
            elif answer.request.method == "PATCH" and answer.status == 204:
                taken.append((int(answer.request.headers["upload-offset"]), int(answer.headers["upload-offset"])))

        page.on("response", note)
        self.open(page)
        self.pages.until(lambda: "was not finished" in page.locator("dialog.bring .hint").inner_text(), "the panel says that a photo was interrupted")
        page.locator("#bring-files").set_input_files(path)
        self.becomes(page, path, "waiting")
        self.expect(not begun and taken and taken[0][0] > 0, f"after a reload it goes on from {taken}, with {len(begun)} new uploads")
        self.expect(taken[-1][1] == os.path.getsize(path), f"of {os.path.getsize(path)} bytes the server has {taken}")
        self.pages.until(lambda: self.counts()["waiting"] == 1, "one photo that was interrupted waits for the host")
        self.pages.console = [line for line in self.pages.console if not re.search(r"status of 423 .*/uploads/tus/", line)]
        self.pages.quiet("a guest's photo that was interrupted")
        page.context.close()

    def taken_back(self, guest, other, path):
        name = os.path.basename(path)
        button = guest.locator(".brought li", has_text=name).locator("button")
        button.click()
        button.click()
        self.pages.until(lambda: not other.locator(".wall li").count(), "a photo that its guest takes back leaves the wall")

    def moving(self):
        """A video is told from a photo before it is sent, is played by the host who decides, and then by other guests."""
        guest = self.page()
        self.open(guest)
        self.pages.until(lambda: "Videos are welcome" in guest.locator("dialog.bring .hint").inner_text(), "the panel says that videos are taken")
        large = os.path.join(self.pages.folder, "Speech.MOV")
        with open(large, "wb") as file:
            file.truncate((512 << 20) + 1)
        guest.locator("#bring-files").set_input_files(large)
        self.becomes(guest, large, "failed")
        said = guest.locator(".brought li", has_text="Speech.MOV").locator(".state").inner_text()
        self.expect("537" in said, f"of a video that is too large the panel says: {said}")
        guest.get_by_role("button", name="Remove Speech.MOV").click()
        path = os.path.join(self.pages.folder, "Waltz.mov")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=640x360:rate=25:duration=3", "-c:v", "libx264", "-pix_fmt",
                        "yuv420p", path], check=True)
        guest.locator("#bring-name").fill("Cleo")
        guest.locator("#bring-files").set_input_files(path)
        self.becomes(guest, path, "waiting")
        self.pages.shot(guest, "guest-video-phone")
        self.pages.axe(guest, "the panel with a video that waits")
        host = self.pages.host_page(self.event, (1280, 800))
        item = host.locator(".waiting li", has_text="by Cleo")
        item.locator(".film").wait_for()
        item.locator("a").click()
        player = "document.querySelector('dialog[open] video.screen')"
        self.pages.holds(host, f"{player}?.duration > 2")
        host.evaluate(f"() => {player}.play()")
        self.pages.holds(host, f"{player}.currentTime > 0")
        self.pages.axe(host, "a video that waits, as its host plays it")
        self.pages.shot(host, "guest-video-host")
        host.keyboard.press("Escape")
        self.pages.holds(host, f"!{player}")
        other = self.page((1280, 800))
        self.expect(not other.locator(".wall li:has(.clip)").count(), "a video that waits is on the wall")
        host.get_by_role("button", name="Show Waltz.mov by Cleo to guests").click()
        tile = other.locator(".wall li:has(.clip)")
        tile.wait_for()
        tile.locator("a").first.click()
        self.pages.holds(other, "document.querySelector('dialog.box video')?.duration > 2")
        other.locator(".credit").wait_for()
        self.expect(other.locator(".credit").inner_text() == "Video by Cleo", "the lightbox does not say who brought the video")
        self.becomes(guest, path, "shown")
        self.pages.quiet("a guest's video")
        for page in (guest, host, other):
            page.context.close()

    def look(self):
        self.closed()
        guest, paths = self.brought()
        host, other = self.decided(guest, paths)
        self.reloaded(guest)
        self.taken_back(guest, other, paths[0])
        self.pages.quiet("photos that a guest brings and a host decides on")
        self.interrupted()
        if shutil.which("ffmpeg"):
            self.moving()
        for page in (guest, host, other):
            page.close()
