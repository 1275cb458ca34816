/// What the pages of several programs have in common.
package enum SharedAssets {
    /// Colours, type, buttons and forms.
    package static let page = Asset("page.css", .style, PackageResources.page_css)
    /// Elements made of text from outside.
    package static let element = Asset("element.js", .script, PackageResources.element_js)
    /// Server-sent events that come back after every cut.
    package static let live = Asset("live.js", .script, PackageResources.live_js)
}
