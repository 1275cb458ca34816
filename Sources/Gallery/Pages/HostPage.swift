import Web

/// `GET /host`: where hosts log in and look after their events; the same for all hosts, since the scripts ask for the rest.
///
/// They call the API of the contract with `Authorization: Bearer`, and besides
/// - `POST /events/{id}/zip-link` → `{data: {url}}`
/// - `GET /events/{id}/live` by fetch, with `Authorization` and `Last-Event-ID`; any message makes them ask again
/// - `GET /events/{id}/qr.svg`, the code that guests scan, and `POST /events/{id}/key`, which renews it
/// - `/uploads/tus` for photos that are dropped there, `/events/{id}/albums`, and `/events/{id}/logo`
/// - `GET /events/{id}/reactions` and `GET /events/{id}/comments`, what guests liked and wrote
/// - `GET /events/{id}/downloads`, what guests took home
/// - images by `<img>`, which carries no bearer token: `GET /events/{id}` gives its owner the host's cookie (`Set-Cookie`), or
///   he would see neither hidden photos nor those of an event that is over.
package enum HostPage {
    package static let html = PageShell(
        title: "Your events", styles: ["page.css", "host.css"],
        scripts: [
            "host.js", "api.js", "markup.js", "account.js", "events.js", "album.js", "filmed.js",
            "position.js",
            "clocks.js", "picking.js", "liked.js", "ending.js", "dropzone.js", "unfinished.js", "backdrop.js",
            "within.js", "albumfilter.js", "seldom.js", "saving.js",
            "folders.js",
        ], kind: "host"
    ).html(
        """
        <header class="bar"><a class="brand" href="#">Gallery</a><div id="who"></div></header>
        <main id="stage" tabindex="-1">
        <noscript><div class="card"><h1>This page needs JavaScript</h1>
        <p>Guests’ pages do without. Hosts can also use the API, or <code>gallery</code> on the server.</p></div></noscript>
        </main>
        <div id="notices" role="status" aria-live="polite"></div>
        """)
}
