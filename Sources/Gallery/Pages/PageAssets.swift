package import Web

/// The style sheets, scripts and icon of the gallery's pages, compiled in.
package enum PageAssets {
    package static let set = AssetSet([
        Asset("icon.svg", .icon, PackageResources.icon_svg),
        SharedAssets.page,
        Asset("guest.css", .style, PackageResources.guest_css),
        Asset("host.css", .style, PackageResources.host_css),
        Asset("guest.js", .script, PackageResources.guest_js),
        Asset("wall.js", .script, PackageResources.wall_js),
        Asset("position.js", .script, PackageResources.position_js),
        SharedAssets.live,
        Asset("lightbox.js", .script, PackageResources.lightbox_js),
        Asset("share.js", .script, PackageResources.share_js),
        Asset("host.js", .script, PackageResources.host_js),
        Asset("api.js", .script, PackageResources.api_js),
        SharedAssets.element,
        Asset("markup.js", .script, PackageResources.markup_js),
        Asset("account.js", .script, PackageResources.account_js),
        Asset("events.js", .script, PackageResources.events_js),
        Asset("album.js", .script, PackageResources.album_js),
        Asset("clocks.js", .script, PackageResources.clocks_js),
        Asset("profile.js", .script, PackageResources.profile_js),
    ])
}
