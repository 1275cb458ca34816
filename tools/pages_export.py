"""An event as a folder without a server, for tools/pages.py: opened from the disk, by mouse, keys and fingers, with and without scripts."""
import os
import subprocess

import bench_gallery as parts

LINKS = "#photos li > a:first-child"
CAPTION = "The cake <b>& more</b>"


class Export:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Taken home", "allowsOriginals": True})
        pages.upload(7, self.event)
        self.folder = os.path.join(pages.folder, "taken home")
        self.address = f"file://{self.folder.replace(' ', '%20')}"
        self.asked = []

    def photos(self):
        return self.server.call("GET", f"/e/{self.event['slug']}/photos?limit=200")["photos"]

    def export(self, *more):
        """Runs beside the server that the photos are at."""
        run = self.server.command("export", self.event["id"], "--to", self.folder, *more)
        self.expect(run.returncode == 0, f"gallery export ended with {run.returncode}: {run.stderr}")
        subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=self.folder, check=True)

    def page(self, size, rest="", name="index.html", **wishes):
        page = self.pages.page(size, **wishes)
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(f"{self.address}/{name}{rest}", wait_until="load")
        return page

    def quiet(self, what):
        self.pages.quiet(what)
        outside = [address for address in self.asked if not address.startswith(f"{self.address}/")]
        self.expect(not outside, f"{what}: the page asks for {outside[:3]}")

    def place(self, page, words):
        self.pages.holds(page, f"document.querySelector('.place')?.textContent.startsWith('{words}')")

    def shut(self, page):
        page.locator("dialog.box[open]").wait_for(state="hidden")

    # What is looked at

    def by_keys(self):
        ids = [photo["id"] for photo in self.photos()]
        page = self.page((1280, 800))
        self.expect(page.locator(LINKS).count() == len(ids), "not every photo is on the page")
        self.pages.holds(page, f"[...document.querySelectorAll('{LINKS} img')].every((image) => image.naturalWidth > 0)")
        self.pages.shot(page, "export-desk")
        self.pages.axe(page, "an exported page")
        page.locator(LINKS).first.focus()
        page.keyboard.press("Enter")
        page.locator("dialog.box[open]").wait_for()
        for number, photo in enumerate(ids):
            self.place(page, f"{number + 1} / {len(ids)}")
            self.pages.holds(page, f"location.hash === '#photo-{photo}'")
            self.pages.holds(page, "document.querySelector('.stage img').src.includes('/screens/')")
            self.pages.holds(page, "document.querySelector('.stage img').naturalWidth > 400")
            page.keyboard.press("ArrowRight")
        self.place(page, f"{len(ids)} / {len(ids)}")
        page.keyboard.press("Home")
        self.place(page, "1 / ")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        self.place(page, f"{len(ids) - 1} / ")
        self.pages.axe(page, "an exported photo")
        self.pages.shot(page, "export-photo")
        page.keyboard.press("Tab")
        self.expect(page.evaluate("() => document.activeElement.closest('dialog') !== null"), "the focus left the photo")
        page.keyboard.press("Escape")
        self.shut(page)
        self.pages.holds(page, f"document.activeElement.closest('li')?.id === 'photo-{ids[-2]}'")
        self.expect(page.evaluate("() => location.hash") == "", "the address names a photo that is not on show")
        self.quiet("an exported page, by keys")
        page.context.close()

    def by_link(self):
        """The address of one photo leads to it, and the way back of the browser closes what was opened."""
        ids = [photo["id"] for photo in self.photos()]
        page = self.page((1280, 800), f"#photo-{ids[2]}")
        page.locator("dialog.box[open]").wait_for()
        self.place(page, "3 / ")
        self.pages.holds(page, f"document.querySelector('.said')?.textContent.includes('{CAPTION}')")
        self.expect(page.locator(".said b").count() == 0, "a caption became markup")
        # From a disk a browser shows an original instead of saving it; the way back leads to the photo.
        page.locator(".box .deeds a").click()
        page.wait_for_url("**/originals/**")
        page.go_back()
        self.place(page, "3 / ")
        page.locator("[aria-label=Close]").click()
        self.shut(page)
        page.locator(LINKS).nth(1).click()
        self.place(page, "2 / ")
        page.go_back()
        self.shut(page)
        self.quiet("an exported page, by links")
        page.context.close()

    def by_touch(self):
        page = self.page((390, 844), dark=True)
        self.pages.shot(page, "export-phone-dark")
        self.pages.axe(page, "an exported page on a phone, dark")
        page.locator(LINKS).first.tap()
        self.place(page, "1 / ")
        self.swipe(page, (300, 400), (80, 410))
        self.place(page, "2 / ")
        self.swipe(page, (80, 400), (300, 410))
        self.place(page, "1 / ")
        self.pages.axe(page, "an exported photo on a phone, dark")
        self.swipe(page, (200, 300), (205, 600))
        self.shut(page)
        self.quiet("an exported page, by touch")
        page.context.close()

    def swipe(self, page, begin, end):
        page.evaluate("""([begin, end]) => {
          const target = document.querySelector('.stage');
          const touch = ([x, y]) => new Touch({ identifier: 1, target, clientX: x, clientY: y });
          const tell = (type, touches, at) => target.dispatchEvent(new TouchEvent(type, { touches, changedTouches: [touch(at)], bubbles: true }));
          tell('touchstart', [touch(begin)], begin);
          tell('touchend', [], end);
        }""", [begin, end])

    def without_scripts(self):
        page = self.page((390, 844), scripts=False)
        self.expect(page.locator(f"{LINKS} img").count() == len(self.photos()), "without JavaScript there is no list")
        page.locator(LINKS).first.click()
        page.wait_for_url("**/screens/**")
        page.context.close()

    def after_hiding(self):
        photo = self.photos()[0]["id"]
        self.server.call("PATCH", f"/photos/{photo}", {"hidden": True})
        self.export()
        page = self.page((1280, 800))
        self.expect(page.locator(f"[id='photo-{photo}']").count() == 0, "a hidden photo is exported")
        self.expect(page.locator(LINKS).count() == len(self.photos()), "a photo that is shown is not exported")
        self.quiet("an exported page after a photo was hidden")
        page.context.close()

    def sections(self):
        """Each section has a page, which counts its own photos; on a phone, too."""
        ids = [photo["id"] for photo in self.photos()]
        for name, chosen in (("Ceremony", ids[:4]), ("Tanz & Törtchen", ids[3:5])):
            album = self.server.call("POST", f"/events/{self.event['id']}/albums", {"name": name})["id"]
            self.server.call("PATCH", "/photos", {"ids": chosen, "addAlbums": [album]})
        self.export("--language", "de")
        page = self.page((390, 844))
        self.expect(page.locator(".sections a").all_inner_texts() == [f"Alle Fotos {len(ids)}", "Ceremony 4", "Tanz & Törtchen 2"],
                    f"the sections are {page.locator('.sections a').all_inner_texts()}")
        self.pages.shot(page, "export-sections-phone")
        self.pages.axe(page, "an exported page with sections")
        page.locator(".sections a").nth(2).click()
        page.wait_for_url("**/section-*.html")
        self.expect(page.title().endswith("· Tanz & Törtchen · 2 Fotos"), f"the page of a section is called {page.title()}")
        page.locator(LINKS).first.click()
        self.place(page, "1 / 2")
        page.keyboard.press("ArrowRight")
        self.place(page, "2 / 2")
        self.pages.holds(page, f"location.hash === '#photo-{ids[4]}'")
        self.expect(page.locator("[aria-label='Schließen']").count() == 1, "the script does not speak the page's language")
        page.keyboard.press("Escape")
        self.shut(page)
        self.quiet("an exported section")
        page.context.close()

    def look(self):
        # A caption, a rating and tags, as a host gives them.
        self.server.call("PATCH", f"/photos/{self.photos()[2]['id']}", {"caption": CAPTION, "rating": 4, "tags": ["best"]})
        self.export()
        self.by_keys()
        self.by_link()
        self.by_touch()
        self.without_scripts()
        self.sections()
        self.after_hiding()
