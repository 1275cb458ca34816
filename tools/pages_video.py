"""Videos on the gallery's pages, for tools/pages.py: a tile that says that it moves, a player that one opens, and what hosts see."""
import os
import re
import subprocess

VIDEO = "document.querySelector('dialog.box video')"


class Videos:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Waltz"})
        self.address = f"{pages.base}/e/{self.event['slug']}"

    def bring(self, name, seconds):
        path = os.path.join(self.pages.folder, name)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc=size=640x360:rate=25:duration={seconds}", "-c:v",
                        "libx264", "-pix_fmt", "yuv420p", "-metadata", "location=+48.2085+016.3731/", path], check=True)
        with open(path, "rb") as file:
            content = file.read()
        before = self.server.call("GET", f"/events/{self.event['id']}")["counts"]["photos"]
        self.pages.put(content, "video/mp4", self.event, filename=name)
        self.pages.until(lambda: self.server.call("GET", f"/events/{self.event['id']}")["counts"]["photos"] > before, "a video becomes a photo", 60)

    def guest(self):
        page = self.pages.page((1280, 800))
        page.goto(self.address, wait_until="load")
        tile = page.locator(".wall li:has(.clip)")
        self.expect(tile.count() == 1, f"{tile.count()} tiles say that they are videos")
        self.expect(tile.locator(".clip").inner_text() == "0:03", f"a video of three seconds is marked {tile.locator('.clip').inner_text()}")
        name = tile.locator("a").first
        page.get_by_role("link", name="Video 0:03").wait_for()
        self.expect("/images/" in name.get_attribute("href"), "without scripts the tile leads to no video")
        self.pages.axe(page, "a wall with a video")
        self.pages.shot(page, "video-wall")
        name.focus()
        page.keyboard.press("Enter")
        page.locator("dialog.box video").wait_for()
        self.pages.holds(page, f"{VIDEO}.readyState > 0 && {VIDEO}.duration > 2")
        self.pages.axe(page, "a video that is open")
        page.keyboard.press("Space")
        self.pages.holds(page, f"!{VIDEO}.paused && {VIDEO}.currentTime > 0")
        self.pages.shot(page, "video-open")
        page.keyboard.press("Space")
        self.pages.holds(page, f"{VIDEO}.paused")
        # The arrows lead on as over a photo, and what was played is over.
        page.keyboard.press("ArrowRight")
        self.pages.holds(page, f"!{VIDEO}")
        page.keyboard.press("ArrowLeft")
        self.pages.holds(page, VIDEO)
        page.keyboard.press("Escape")
        self.pages.holds(page, f"!document.querySelector('dialog.box[open]') && !{VIDEO}")
        self.pages.quiet("a video")
        page.context.close()

    def plain(self):
        page = self.pages.page(scripts=False)
        page.goto(self.address, wait_until="load")
        page.locator(".wall li .clip").click(force=True)
        page.wait_for_url("**/images/*")
        page.context.close()
        self.pages.console = []

    def host(self):
        page = self.pages.host_page(self.event)
        tile = page.locator("li[data-photo]:has(.film)")
        tile.wait_for()
        self.pages.axe(page, "a host's list with a video")
        film, whole = tile.locator(".film").bounding_box(), tile.locator(".edit").bounding_box()
        self.expect(film["x"] + film["width"] <= whole["x"] + whole["width"] - 40, f"the length {film} is under the pencil of {whole}")
        tile.locator(".edit").click()
        player = page.locator("dialog[open] video.screen")
        player.wait_for()
        self.pages.holds(page, "document.querySelector('dialog[open] video.screen').duration > 2")
        self.pages.axe(page, "a host's panel for a video")
        self.pages.shot(page, "video-host")
        page.keyboard.press("Escape")
        tile.locator(".hide").click()
        page.locator("li[data-photo].is-hidden .film").wait_for()
        boxes = [tile.locator(part).bounding_box() for part in (".badge:not(.film)", ".film")]
        self.expect(boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"], f"what says that it is hidden and its length lie over each other: {boxes}")
        self.pages.shot(page, "video-host-hidden")
        guest = self.pages.page()
        self.pages.until(lambda: guest.goto(self.address, wait_until="load") and guest.locator(".clip").count() == 0, "a video that is hidden is gone")
        # A page that was read just before has asked for what was hidden by then.
        self.pages.console = [line for line in self.pages.console if not re.search(r"status of 404 .*/images/", line)]
        self.pages.quiet("a host's page with a video")
        guest.context.close()
        page.context.close()

    def look(self):
        self.pages.upload(2, self.event)
        self.bring("Waltz.MP4", 3)
        self.guest()
        self.plain()
        self.host()
