import HTTPServer
import Web

/// The page as it is sent: the same for all, without a word of the event. Its scripts fill it in for those who have the
/// token.
enum HudPage {
    static let answer: Response = {
        let shell = PageShell(
            HudAssets.set, title: "Tetherline", styles: ["page.css", "hud.css"],
            scripts: [
                "hud.js", "door.js", "element.js", "live.js", "words.js", "panels.js", "sheet.js", "photo.js",
                "marks.js", "alarm.js",
            ],
            kind: "hud")
        let page = shell.html(
            """
            <a class="skip" href="#photos">Skip to the photos</a>
            \(gate)
            <div id="desk" hidden>
            \(header)
            <main>
            \(headline)
            \(sheet)
            <section class="panel" aria-labelledby="cameras-title"><h2 id="cameras-title">Cameras</h2><ul id="cameras"></ul></section>
            <section class="panel" aria-labelledby="places-title"><h2 id="places-title">Destinations</h2><ul id="places"></ul></section>
            \(machine)
            </main>
            </div>
            \(photo)
            <p class="notice" id="notice" role="status" hidden></p>
            """)
        return PageAnswers().answer(200, page)
    }()

    /// For those who come without the token.
    private static let gate: HTMLText = """
        <main class="card" id="gate" hidden>
        <h1>Tetherline</h1>
        <p id="gate-text">Open the address that the bridge has printed, or scan its code: it has the token of this run.</p>
        <form id="gate-form">
        <label for="token">Or paste the address or its token here</label>
        <input id="token" autocomplete="off" spellcheck="false" required>
        <button class="main">Open</button>
        </form>
        </main>
        <noscript><main class="card"><h1>Tetherline</h1><p>This page needs JavaScript. In a terminal, ‘tetherline status’ says the \
        same.</p></main></noscript>
        """

    private static let header: HTMLText = """
        <header class="top">
        <div class="of"><h1 id="event" dir="auto"></h1>
        <p class="lock">Locked while this bridge runs</p></div>
        <p id="live" class="live">Live</p>
        </header>
        """

    private static let headline: HTMLText = """
        <section class="headline" id="headline" data-tone="good" aria-label="How it is">
        <div role="status"><h2 id="headline-title"></h2><p id="headline-detail"></p></div>
        <dl class="counts" id="counts"></dl>
        <p class="pace" id="pace"></p>
        <div class="deeds" id="deeds">
        <button type="button" id="pause">Pause deliveries</button>
        <button type="button" id="retry" hidden>Retry what failed</button>
        </div>
        </section>
        <section class="troubles" id="troubles" aria-label="What needs a look" hidden><ul id="trouble-list"></ul></section>
        """

    private static let sheet: HTMLText = """
        <section class="sheet" aria-labelledby="photos-title">
        <div class="tools">
        <h2 id="photos-title">Photos</h2>
        <form role="search" id="search-form">
        <input type="search" id="search" placeholder="Search: a name, a number, a hash" \
        aria-label="Search the event’s photos by name, number or hash" maxlength="100" autocomplete="off" enterkeyhint="search">
        </form>
        <div class="chips" role="group" aria-label="Which photos">
        <button type="button" data-show="latest" aria-pressed="true">Latest</button>
        <button type="button" data-show="open" aria-pressed="false">On their way</button>
        <button type="button" data-show="failed" aria-pressed="false">Failed</button>
        </div>
        </div>
        <ul class="tiles" id="photos" tabindex="-1" aria-label="Photos, the latest first"></ul>
        <p class="none" id="none" hidden></p>
        </section>
        """

    private static let machine: HTMLText = """
        <section class="panel" aria-labelledby="machine-title"><h2 id="machine-title">This machine</h2><ul id="machine"></ul>
        <div class="wishes">
        <label class="check"><input type="checkbox" id="sound"> <span>Sound when something fails</span></label>
        <label class="check" id="vibration-wish"><input type="checkbox" id="vibration"> <span>Vibrate when something fails</span></label>
        <p class="soft" id="alarm-hint" role="status" hidden>Touch this page once: until then the browser keeps it silent.</p>
        </div>
        </section>
        """

    private static let photo: HTMLText = """
        <dialog class="photo" id="photo" aria-labelledby="photo-title">
        <div class="head"><h2 id="photo-title" dir="auto"></h2><button type="button" id="photo-close" aria-label="Close">✕</button></div>
        <div id="photo-picture" class="picture"></div>
        <section id="photo-marks" aria-label="For the gallery"></section>
        <div id="photo-story"></div>
        </dialog>
        <dialog class="question" id="question" aria-labelledby="question-title">
        <form method="dialog">
        <h2 id="question-title"></h2>
        <p id="question-text"></p>
        <div class="deeds"><button value="no">Keep it</button><button class="main bad" value="yes" id="question-yes"></button></div>
        </form>
        </dialog>
        """
}
