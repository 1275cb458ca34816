import Web

/// The style sheets, scripts and icon of the page, compiled in.
enum HudAssets {
    static let set = AssetSet([
        Asset("icon.svg", .icon, PackageResources.icon_svg), SharedAssets.page, SharedAssets.element,
        SharedAssets.live, Asset("hud.css", .style, PackageResources.hud_css),
        Asset("hud.js", .script, PackageResources.hud_js),
        Asset("door.js", .script, PackageResources.door_js),
        Asset("sheet.js", .script, PackageResources.sheet_js),
        Asset("panels.js", .script, PackageResources.panels_js),
        Asset("photo.js", .script, PackageResources.photo_js),
        Asset("marks.js", .script, PackageResources.marks_js),
        Asset("alarm.js", .script, PackageResources.alarm_js),
        Asset("words.js", .script, PackageResources.words_js),
    ])
}
