"""The guests' pages in the languages of their browsers, for tools/pages.py: words, dates and numbers, the menu, and narrow windows."""

# What a page and its scripts say in each, dates and numbers as its browsers write them.
LANGUAGES = {
    "de": {"skip": "Zu den Fotos springen", "picked": "1 ausgewählt", "day": "21. November 2026", "count": "3 Fotos", "news": "1 neues Foto",
           "take": "3 Fotos in einem ZIP.", "pause": "Weiter", "offline": "Es gibt keine Verbindung", "pin": "Das ist nicht die PIN.",
           "heart": "Herz: 1 Herz", "heartBack": "Herz: 0 Herzen", "comments": "Kommentare", "unnamed": "Bitte zuerst einen Namen angeben"},
    "ja": {"skip": "写真へ移動", "picked": "1枚を選択中", "day": "2026年11月21日", "count": "写真3枚", "news": "新しい写真1枚",
           "take": "3枚を1つのZIPにまとめます。", "pause": "再開", "offline": "接続できません", "pin": "PINが違います。",
           "heart": "ハート：1個", "heartBack": "ハート：0個", "comments": "コメント", "unnamed": "先にお名前を入力してください"},
    "th": {"skip": "ข้ามไปที่รูปภาพ", "picked": "เลือกแล้ว 1 รูป", "day": "21 พฤศจิกายน 2569", "count": "3 รูป", "news": "รูปใหม่ 1 รูป",
           "take": "3 รูปใน ZIP ไฟล์เดียว", "pause": "เล่นต่อ", "offline": "ไม่มีการเชื่อมต่อ", "pin": "รหัส PIN ไม่ถูกต้อง",
           "heart": "หัวใจ: 1 ดวง", "heartBack": "หัวใจ: 0 ดวง", "comments": "ความคิดเห็น", "unnamed": "โปรดใส่ชื่อก่อน"},
}
# Whose pages are looked at for their days, as browsers write them, and for their room; and what they say that they are in.
OTHERS = {"es": "es", "fr": "fr", "it": "it", "pt": "pt-BR"}
DAY = "(language) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'Europe/Vienna' }).format(new Date('2026-11-21T19:00:00Z'))"
NARROW = (320, 640)
PIN = "24680"
# What is wider than the window, if anything is.
WIDE = """() => document.documentElement.scrollWidth > innerWidth
  ? [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className || one.tagName).slice(0, 5)
  : null"""


class Languages:
    def __init__(self, pages, expect):
        self.pages, self.expect, self.server = pages, expect, pages.server
        self.event = self.server.call("POST", "/events", {"name": "Anna & Ben", "startsAt": "2026-11-21T12:00:00Z", "timeZone": "Europe/Vienna"})
        for hour in (19, 20, 21):
            pages.shot_at(self.event, f"2026:11:21 {hour}:00:00")
        self.ids = {photo["id"] for photo in self.photos()}
        self.address = f"{pages.base}/e/{self.event['slug']}"

    def photos(self):
        return self.server.call("GET", f"/events/{self.event['id']}/photos")["photos"]

    def tab(self, locale, size=NARROW, **wishes):
        context = self.pages.browser.new_context(
            locale=locale, viewport={"width": size[0], "height": size[1]}, has_touch=True, is_mobile=True, **wishes)
        return self.pages.tab(context)

    def is_in(self, page, language):
        self.expect(page.evaluate("() => [document.documentElement.lang, document.documentElement.dir].join()") == f"{language},ltr",
                    f"a page for {language} says that it is in {page.evaluate('document.documentElement.lang')}")

    def fits(self, page, what):
        wide = page.evaluate(WIDE)
        self.expect(not wide, f"{what}: wider than {NARROW[0]} pixels are {wide}")

    def says(self, page, selector, words, what):
        """Sooner or later."""
        self.pages.until(lambda: words in (page.locator(selector).first.text_content() or ""), f"{what} says '{words}'", 10)

    def wall(self, language, words):
        page = self.tab(language)
        page.goto(self.address, wait_until="load")
        self.is_in(page, language)
        self.expect(page.locator(".skip").text_content() == words["skip"], f"{language}: the page begins with '{page.locator('.skip').text_content()}'")
        self.expect(words["day"] in page.locator(".title").inner_text(), f"{language}: the title says {page.locator('.title').inner_text()}")
        self.says(page, "#count", words["count"], language)
        page.locator("dialog.box").wait_for(state="attached")
        # As the server wrote them, and as the scripts write them once more.
        self.expect(page.locator(".hour h2 bdi").first.text_content() == words["day"], f"{language}: an hour is of {page.locator('.hour h2 bdi').first.text_content()}")
        self.fits(page, f"the wall in {language}")
        self.pages.axe(page, f"the wall in {language}")
        self.pages.shot(page, f"language-{language}")
        page.locator(".live:not([hidden])").wait_for(state="attached")
        self.pages.upload(1, self.event)
        self.says(page, "#status", words["news"], f"the wall in {language}")
        for photo in self.photos():
            if photo["id"] not in self.ids:
                self.server.call("DELETE", f"/photos/{photo['id']}")
        self.says(page, "#count", words["count"], language)
        return page

    def picks(self, page, language, words):
        page.locator("#open-picks").tap()
        self.pages.holds(page, "document.documentElement.classList.contains('picking')")
        page.locator(".wall li > a").first.tap()
        self.says(page, ".picks p", words["picked"], f"the bar in {language}")
        self.fits(page, f"picking in {language}")
        self.pages.axe(page, f"picking in {language}")
        page.locator(".picks .done").tap()
        page.locator("#open-download").tap()
        self.says(page, "dialog.take [role=status]", words["take"], f"the download in {language}")
        self.fits(page, f"the download in {language}")
        self.pages.axe(page, f"the download in {language}")
        self.pages.shot(page, f"language-{language}-take")
        page.keyboard.press("Escape")

    def hearts(self, page, language, words):
        page.locator(".wall li > a").first.tap()
        heart = page.locator("#box-heart")
        for label in (words["heart"], words["heartBack"]):
            heart.tap()
            self.pages.until(lambda: heart.get_attribute("aria-label") == label, f"the heart in {language} says '{label}'", 10)
        page.locator("#box-comments").tap()
        self.says(page, "dialog.talk h2", words["comments"], f"the comments in {language}")
        page.locator("dialog.talk .main").tap()
        self.says(page, "dialog.talk [role=alert]", words["unnamed"], f"the comments in {language}")
        self.fits(page, f"the comments in {language}")
        self.pages.axe(page, f"the comments in {language}")
        self.pages.shot(page, f"language-{language}-comments")
        page.keyboard.press("Escape")
        page.locator("dialog.talk").wait_for(state="detached")
        page.keyboard.press("Escape")
        page.locator("dialog.box[open]").wait_for(state="detached")

    def show(self, page, language, words):
        page.goto(f"{self.address}/show", wait_until="load")
        self.is_in(page, language)
        page.locator("#screen img").first.wait_for()
        self.pages.holds(page, "document.documentElement.classList.contains('js')")
        page.keyboard.press(" ")
        self.says(page, "#pause", words["pause"], f"the screen in {language}")
        self.fits(page, f"the screen in {language}")
        self.pages.axe(page, f"the screen in {language}")

    def door(self, page, language, words):
        closed = self.server.call("POST", "/events", {"name": "Behind a PIN", "pin": PIN})
        page.goto(f"{self.pages.base}/e/{closed['slug']}")
        self.is_in(page, language)
        self.fits(page, f"the door in {language}")
        page.fill("[name=pin]", "1111")
        page.locator("button.main").tap()
        self.says(page, "[role=alert]", words["pin"], f"the door in {language}")
        self.pages.axe(page, f"the door in {language}")
        page.goto(f"{self.pages.base}/e/nothing-of-that-name")
        self.is_in(page, language)
        self.fits(page, f"nothing in {language}")
        self.pages.console = [line for line in self.pages.console if "401" not in line and "404" not in line]

    def menu(self):
        """A guest chooses another language than his browser's, with and without scripts, and it stays."""
        for scripts in (True, False):
            page = self.tab("fr-CA", java_script_enabled=scripts)
            page.goto(self.address, wait_until="load")
            self.is_in(page, "fr")
            page.locator(".languages a[lang=it]").click()
            page.wait_for_selector("html[lang=it]", state="attached")
            if scripts:
                # Sent to friends, the address chooses no language for them.
                self.pages.holds(page, "location.search === ''")
            self.is_in(page, "it")
            page.goto(f"{self.address}?q=zebra", wait_until="load")
            self.is_in(page, "it")
            self.expect(page.locator(".empty h2").inner_text() == "Nessun risultato per «zebra»", f"nothing is found in words of {page.locator('.empty h2').inner_text()}")
            self.expect(page.locator(".languages [aria-current]").inner_text() == "Italiano", "the menu does not say which language it is")
            for link in page.locator(".languages a").all():
                self.expect(link.bounding_box()["height"] >= 44, "a finger does not find a language")
            page.context.close()
        page = self.tab("nl-NL")
        page.goto(self.address, wait_until="load")
        self.is_in(page, "en")
        page.context.close()

    def without_connection(self):
        """A browser without a connection says so in the language of the page that was looked at, which a guest may have chosen."""
        page = self.tab("ja")
        page.goto(self.address, wait_until="load")
        self.pages.holds(page, "navigator.serviceWorker.controller")
        for language in ("ja", "de"):
            if language != "ja":
                page.locator(f".languages a[lang={language}]").click()
                page.wait_for_selector(f"html[lang={language}]", state="attached")
                self.pages.holds(page, "location.search === ''")
            self.server.stop()
            page.reload(wait_until="load")
            self.is_in(page, language)
            self.says(page, "h1", LANGUAGES[language]["offline"], "the page without a connection")
            self.fits(page, "the page without a connection")
            self.server.start(self.server.port)
            page.goto(self.address, wait_until="load")
        # One is enough for every language: one that took over from another kept pages from coming.
        self.expect(page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).map((one) => new URL(one.active.scriptURL).search + !one.waiting).join()")
                    == "true", "another language brings another script")
        page.context.close()
        self.pages.console = [line for line in self.pages.console if "net::ERR_" not in line and "503" not in line and "Failed to fetch" not in line]

    def other(self, language):
        page = self.tab(language)
        page.goto(self.address, wait_until="load")
        self.is_in(page, OTHERS[language])
        day = page.evaluate(DAY, language)
        page.locator("dialog.box").wait_for(state="attached")
        for selector in (".title", ".hour h2 bdi"):
            said = page.locator(selector).first.text_content()
            self.expect(day in said, f"{language}: {selector} says '{said}' and not '{day}'")
        self.fits(page, f"the wall in {language}")
        page.locator("#open-picks").tap()
        self.pages.holds(page, "document.documentElement.classList.contains('picking')")
        page.locator(".wall li > a").first.tap()
        self.fits(page, f"picking in {language}")
        page.locator(".picks .done").tap()
        page.locator("#open-download").tap()
        page.locator("dialog.take[open]").wait_for()
        self.fits(page, f"the download in {language}")
        self.pages.shot(page, f"language-{language}-take")
        page.keyboard.press("Escape")
        page.locator(".wall li > a").first.tap()
        page.locator("#box-comments").tap()
        page.locator("dialog.talk[open]").wait_for()
        self.fits(page, f"the comments in {language}")
        self.pages.axe(page, f"the comments in {language}")
        self.pages.shot(page, f"language-{language}-comments")
        self.pages.quiet(f"the pages in {language}")
        page.context.close()

    def look(self):
        for language in OTHERS:
            self.other(language)
        for language, words in LANGUAGES.items():
            page = self.wall(language, words)
            self.picks(page, language, words)
            self.hearts(page, language, words)
            self.show(page, language, words)
            self.door(page, language, words)
            self.pages.quiet(f"the pages in {language}")
            page.context.close()
        self.menu()
        self.without_connection()
        self.pages.quiet("the languages")
