import Bridge
import Testing
import Upload

@Suite struct FolderAddressTests {
    static let facts = NameTemplate.Facts(
        event: "Wedding", date: "2026-11-21", time: "185903", camera: "Z 9", serial: "6001234", sequence: 42,
        name: "DSC_0001.JPG")

    static let paths: [(url: String, path: String)] = [
        ("file:///media/usb", "/media/usb"), ("file:///", "/"), ("file:///media/usb/", "/media/usb/"),
        ("file://localhost/media/usb", "/media/usb"), ("file:///a%20b", "/a b"), ("file:///a b", "/a b"),
        ("file:///100%25", "/100%"), ("file:///why%3F", "/why?"), ("file:///a%23b#c", "/a#b#c"),
        ("file:///f%C3%BcR%c3%9f", "/füRß"), ("file:///für", "/für"), ("file:///a%2Fb", "/a/b"),
        ("file:///a+b&c=d", "/a+b&c=d"), ("file:///a?", "/a"), ("file:///a?&", "/a"),
        ("file:///%2541", "/%41"),
    ]

    @Test("a file URL names a folder, and escaped bytes are those bytes", arguments: paths)
    func path(url: String, path: String) throws {
        let address = try FolderAddress(url)
        #expect(address.path == path)
        #expect(address.template.description == "{name}")
        #expect(!address.links, "only when asked for")
    }

    static let queries: [(query: String, template: String, links: Bool)] = [
        ("name={event}/{name}", "{event}/{name}", false),
        ("name=%7Bevent%7D%2F{name}", "{event}/{name}", false),
        ("name=a%26b%3D{name}", "a&b={name}", false), ("name=a=b{name}", "a=b{name}", false),
        ("name=why?{name}", "why?{name}", false), ("name=f%C3%BCr/{name}", "für/{name}", false),
        ("link=hard", "{name}", true), ("link=copy", "{name}", false), ("link=%68ard", "{name}", true),
        ("link=hard&name={seq}.{ext}", "{seq}.{ext}", true),
        ("name={seq}.{ext}&link=hard", "{seq}.{ext}", true),
        ("link=hard&link=copy", "{name}", false), ("name={seq}.{ext}&name={name}", "{name}", false),
    ]

    @Test("the query says how photos are named there, and whether they are linked", arguments: queries)
    func query(query: String, template: String, links: Bool) throws {
        let address = try FolderAddress("file:///media/usb?\(query)")
        #expect(address.path == "/media/usb")
        #expect(address.template.description == template)
        #expect(address.links == links)
    }

    static let refused: [(url: String, words: String)] = [
        ("", "'' is no folder: file:///absolute/path is meant."),
        ("/media/usb", "'/media/usb' is no folder: file:///absolute/path is meant."),
        ("file:/media", "'file:/media' is no folder: file:///absolute/path is meant."),
        ("https://host/a", "'https://host/a' is no folder: file:///absolute/path is meant."),
        ("FILE:///a", "'FILE:///a' is no folder: file:///absolute/path is meant."),
        (
            "file://media/usb",
            "'file://media/usb' names the host 'media'; a folder has three slashes: file:///absolute/path."
        ),
        ("file://localhost.example/a", "names the host 'localhost.example'"),
        ("file://", "'file://' has no absolute path: file:///absolute/path is meant."),
        ("file://localhost", "'file://localhost' has no absolute path: file:///absolute/path is meant."),
        ("file:///a%00b", "has no absolute path"),
        ("file:///a%4", "'%4' in 'file:///a%4' is no escaped byte; write %25 for a percent sign."),
        ("file:///100%", "'%' in 'file:///100%' is no escaped byte; write %25 for a percent sign."),
        ("file:///a%zz", "'%zz' in 'file:///a%zz' is no escaped byte; write %25 for a percent sign."),
        ("file:///a%+4", "'%+4' in 'file:///a%+4' is no escaped byte; write %25 for a percent sign."),
        ("file:///a%-0", "'%-0' in 'file:///a%-0' is no escaped byte; write %25 for a percent sign."),
        ("file:///a?name=50%-{name}", "'%-{' in"),
        ("file:///f%FCr", "'/f%FCr' in 'file:///f%FCr' is no UTF-8 when it is decoded."),
        ("file:///a?name=%C3{name}", "is no UTF-8 when it is decoded."),
        (
            "file:///a?link=soft",
            "'link=soft' in 'file:///a?link=soft' is not known; there are name=TEMPLATE, link=hard, link=copy, metadata=iptc and consumed=true."
        ),
        ("file:///a?link", "'link' in"), ("file:///a?link=", "'link=' in"), ("file:///a?x=1", "'x=1' in"),
        ("file:///a?Name={name}", "'Name={name}' in"), ("file:///a?=", "'=' in"),
        ("file:///a?name=", "the template is empty"), ("file:///a?name", "the template is empty"),
        ("file:///a?name=../{name}", "\"..\""), ("file:///a?name=/{name}", "begins with"),
        ("file:///a?name={event}", "every photo would have one name"),
        ("file:///a?name={nam}", "did you mean {name}?"),
    ]

    @Test("what is no folder is refused, with a sentence that says what is meant", arguments: refused)
    func invalid(url: String, words: String) {
        let error = #expect(throws: FolderAddress.Invalid.self) { try FolderAddress(url) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    static let roundTrips = [
        "/media/usb", "/a b/c", "/100%", "/%41", "/why?", "/a#b", "/für", "/fu\u{308}r", "/a&b=c;d+e", "/",
        "/{x}", "/日本/📷", "/a\u{1}\n\u{7F}b", "/a\\b\"'",
    ]

    @Test("a folder's URL leads back to the folder, whatever is in its name", arguments: roundTrips)
    func roundTrip(path: String) throws {
        let plain = FolderAddress.url(path: path, template: nil)
        #expect(Array(try FolderAddress(plain).path.utf8) == Array(path.utf8), "\(plain)")
        #expect(try FolderAddress(plain).template.description == FolderAddress.usualTemplate)
        #expect(plain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(plain)")
        let literal = path.dropFirst().filter { $0 != "{" && $0 != "}" && $0 != "\\" }
        let template = "x\(literal)/{event} & {date}=100%?#ü/{name}"
        let url = FolderAddress.url(path: path, template: template)
        let address = try FolderAddress(url)
        #expect(Array(address.path.utf8) == Array(path.utf8), "\(url)")
        #expect(address.template == (try NameTemplate(template)), "\(url)")
    }

    @Test("a URL that is made here is easy to read")
    func readable() {
        #expect(
            FolderAddress.url(path: "/media/usb-1/a.b_c~", template: "{event}/{name}")
                == "file:///media/usb-1/a.b_c~?name={event}/{name}")
        #expect(
            FolderAddress.url(path: "/a b\n", template: "é{name}") == "file:///a%20b%0A?name=%C3%A9{name}")
    }
}
