/// `GET /host`: where hosts log in and look after their events; the same for everybody, since the scripts ask for the rest.
///
/// They call the API of the contract with `Authorization: Bearer`, and besides
/// - `POST /events/{id}/zip-link` → `{data: {url}}`
/// - `GET /events/{id}/live` by fetch, with `Authorization` and `Last-Event-ID`; any message makes them ask again
/// - `GET /e/{slug}/qr.svg`, `qrSVG` of the guests' address, for everybody (it holds no more than its own address)
/// - images by `<img>`, which carries no bearer token: for an event with a PIN, `GET /events/{id}` has to give its owner the
///   guest's cookie (`Set-Cookie`), or the host sees no thumbs.
package enum HostPage {
    package static let html = PageShell(
        title: "Your events", styles: ["page.css", "host.css"],
        scripts: ["host.js", "api.js", "markup.js", "account.js", "events.js", "album.js"], kind: "host"
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
