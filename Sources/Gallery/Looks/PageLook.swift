import Web

/// An event's look as its pages have it.
package struct PageLook: Equatable, Sendable {
    /// The address of its style sheet; nothing where pages look as they do for every event.
    package var sheet: String?
    package var logo: Logo?

    package struct Logo: Equatable, Sendable {
        package var url: String
        package var width: Int
        package var height: Int
    }

    package init(sheet: String? = nil, logo: Logo? = nil) {
        self.sheet = sheet
        self.logo = logo
    }

    /// `path` is where the event's page is.
    init(_ look: EventLook, at path: String) {
        if look.hasSheet { sheet = LookSheet(look).address(at: path) }
        if let logo = look.logo {
            self.logo = Logo(url: logo.address(at: path), width: logo.width, height: logo.height)
        }
    }

    /// For a page's head. Its rules count more than those of any other sheet, so that its place does not matter.
    var link: HTMLText {
        sheet.map { "<link rel=\"stylesheet\" href=\"\($0)\">\n" } ?? .none
    }

    /// The event's name stands beside it, and says the same.
    var picture: HTMLText {
        logo.map {
            "<img class=\"logo\" src=\"\($0.url)\" width=\"\($0.width)\" height=\"\($0.height)\" alt=\"\">\n"
        } ?? .none
    }

    /// Sheets that a page with it needs besides its own.
    func styles(hasCover: Bool = false) -> [String] { logo != nil || hasCover ? ["cover.css"] : [] }
}

extension Event {
    var pageLook: PageLook { PageLook(look, at: "/e/\(slug)") }
}
