package import Web

/// The style sheets, scripts and icons of the gallery's pages, compiled in.
package enum PageAssets {
    /// A guest on a slow line loads no comments, and no space before a line.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "\n")).map { line in line.drop { $0 == UInt8(ascii: " ") } }
    }

    private static func joined(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
        Array(lines.filter { !$0.isEmpty }.joined(separator: [UInt8(ascii: "\n")]))
    }

    static func script(_ name: String, _ bytes: [UInt8]) -> Asset {
        Asset(name, .script, joined(lines(bytes).filter { !$0.starts(with: "//".utf8) }))
    }

    /// A comment of more than one line stays.
    private static func style(_ name: String, _ bytes: [UInt8]) -> Asset {
        let kept = lines(bytes).filter { line in
            !line.starts(with: "/*".utf8) || !line.reversed().starts(with: "/*".utf8)
        }
        return Asset(name, .style, joined(kept))
    }

    package static let set = AssetSet([
        Asset("icon.svg", .icon, PackageResources.icon_svg),
        Asset("icon-192.png", .picture, PackageResources.icon_192_png),
        Asset("icon-512.png", .picture, PackageResources.icon_512_png),
        Asset("full-192.png", .picture, PackageResources.full_192_png),
        Asset("full-512.png", .picture, PackageResources.full_512_png),
        SharedAssets.page,
        style("guest.css", PackageResources.guest_css),
        style("host.css", PackageResources.host_css),
        script("start.js", PackageResources.start_js),
        script("guest.js", PackageResources.guest_js),
        script("finder.js", PackageResources.finder_js),
        script("picker.js", PackageResources.picker_js),
        script("list.js", PackageResources.list_js),
        script("wall.js", PackageResources.wall_js),
        script("tiles.js", PackageResources.tiles_js),
        script("tile.js", PackageResources.tile_js),
        script("timeline.js", PackageResources.timeline_js),
        script("layout.js", PackageResources.layout_js),
        script("loader.js", PackageResources.loader_js),
        script("position.js", PackageResources.position_js),
        script("live.js", SharedAssets.live.bytes),
        script("say.js", PackageResources.say_js),
        script("scrubber.js", PackageResources.scrubber_js),
        script("lightbox.js", PackageResources.lightbox_js),
        script("zoom.js", PackageResources.zoom_js),
        script("share.js", PackageResources.share_js),
        style("picks.css", PackageResources.picks_css),
        script("picks.js", PackageResources.picks_js),
        script("mine.js", PackageResources.mine_js),
        script("marks.js", PackageResources.marks_js),
        script("takehome.js", PackageResources.takehome_js),
        style("photo.css", PackageResources.photo_css),
        script("photo.js", PackageResources.photo_js),
        style("show.css", PackageResources.show_css),
        script("show.js", PackageResources.show_js),
        script("rounds.js", PackageResources.rounds_js),
        script("host.js", PackageResources.host_js),
        script("api.js", PackageResources.api_js),
        SharedAssets.element,
        script("markup.js", PackageResources.markup_js),
        script("account.js", PackageResources.account_js),
        script("events.js", PackageResources.events_js),
        script("album.js", PackageResources.album_js),
        script("picking.js", PackageResources.picking_js),
        script("clocks.js", PackageResources.clocks_js),
        script("profile.js", PackageResources.profile_js),
    ])
}
