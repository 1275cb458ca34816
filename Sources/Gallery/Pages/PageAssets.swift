import Basics
import Digest
package import HTTPServer

/// The pages' style sheets, scripts and icon, compiled in.
package enum PageAssets {
    package struct Asset: Sendable {
        package let name: String
        package let type: String
        package let bytes: [UInt8]

        init(_ name: String, _ type: String, _ bytes: [UInt8]) {
            self.name = name
            self.type = type
            self.bytes = bytes
        }
    }

    private static let script = "text/javascript; charset=utf-8"
    private static let style = "text/css; charset=utf-8"

    package static let all = [
        Asset("icon.svg", "image/svg+xml", PackageResources.icon_svg),
        Asset("page.css", style, PackageResources.page_css),
        Asset("guest.css", style, PackageResources.guest_css),
        Asset("host.css", style, PackageResources.host_css),
        Asset("guest.js", script, PackageResources.guest_js),
        Asset("wall.js", script, PackageResources.wall_js),
        Asset("position.js", script, PackageResources.position_js),
        Asset("live.js", script, PackageResources.live_js),
        Asset("lightbox.js", script, PackageResources.lightbox_js),
        Asset("share.js", script, PackageResources.share_js),
        Asset("host.js", script, PackageResources.host_js),
        Asset("api.js", script, PackageResources.api_js),
        Asset("markup.js", script, PackageResources.markup_js),
        Asset("account.js", script, PackageResources.account_js),
        Asset("events.js", script, PackageResources.events_js),
        Asset("album.js", script, PackageResources.album_js),
        Asset("clocks.js", script, PackageResources.clocks_js),
        Asset("profile.js", script, PackageResources.profile_js),
    ]

    /// One for all of them, so that scripts import each other by a relative name and never mix two versions.
    static let version: String = {
        let hash = SHA256()
        for asset in all {
            hash.update(Array(asset.name.utf8))
            hash.update(asset.bytes)
        }
        return String("\(hash.finish())".prefix(16))
    }()

    static func path(_ name: String) -> String { "/assets/\(version)/\(name)" }

    /// The route `GET /assets/{version}/{name}`; quick. Nil is a 404. A page that was opened before the server was renewed
    /// gets today's file, which nobody is to keep under that address.
    package static func answer(_ request: Request) -> Response? {
        guard let asset = all.first(where: { $0.name == request.parameters["name"] }) else { return nil }
        let isCurrent = request.parameters["version"] == version
        let etag = "\"\(version)\""
        var headers = [
            HTTPHeader("Cache-Control", isCurrent ? "public, max-age=31536000, immutable" : "no-cache"),
            HTTPHeader("ETag", etag), HTTPHeader("X-Content-Type-Options", "nosniff"),
        ]
        if request["If-None-Match"] == etag { return Response(status: 304, headers: headers) }
        headers.append(HTTPHeader("Content-Type", asset.type))
        return Response(status: 200, headers: headers, body: .bytes(asset.bytes))
    }
}
