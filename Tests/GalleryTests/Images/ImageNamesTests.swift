import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// The name that an image is saved under.
@Suite struct ImageNamesTests {
    @Test("originals and what fills a screen say their camera's name, and renditions for the wall none")
    func names() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(event: ["name": "Wedding", "allowsOriginals": .bool(true)])
        let bytes = Array("kiss".utf8)
        let place = try await gallery.place("kiss", bytes, for: host, name: "Kuß \"1\".JPEG")
        try await gallery.fill(place, with: bytes)
        try await gallery.work()
        let list = try await gallery.call("GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let photo = try #require(list["photos"]?.array?.first)
        let escaped = "filename*=UTF-8''Ku%C3%9F%20_1_"
        for (name, query, wanted) in [
            ("thumbKey", "", nil), ("thumbKey", "?download", nil),
            ("screenKey", "", "inline; filename=\"Ku_ _1_.jpg\"; \(escaped).jpg"),
            ("screenKey", "?download", "attachment; filename=\"Ku_ _1_.jpg\"; \(escaped).jpg"),
            ("originalKey", "", "inline; filename=\"Ku_ _1_.JPEG\"; \(escaped).JPEG"),
            ("originalKey", "?download", "attachment; filename=\"Ku_ _1_.JPEG\"; \(escaped).JPEG"),
        ] as [(String, String, String?)] {
            let path = "/images/\(try #require(photo[name]?.string))\(query)"
            // Looked up the first time, and known the second.
            for _ in 0..<2 {
                let answer = try await gallery.call("GET", path)
                #expect(
                    answer.status == 200 && answer.header("Content-Disposition") == wanted, "\(name)\(query)")
            }
        }
        let guests = try await gallery.call("GET", "/e/\(host.slug)/photos")
        #expect(guests["photos"]?.array?.first?["filename"]?.string == "Kuß _1_.JPEG")
    }

    @Test("what a guest has called a page or a program is saved as the photo that it is")
    func others() {
        for (name, type, wanted) in [
            ("cake.html", "image/jpeg", "cake.html.jpg"), ("cake.PHP", "image/jpeg", "cake.PHP.jpg"),
            ("run.exe", "image/png", "run.exe.png"), ("film.hta", VideoType.quickTime, "film.hta.mov"),
            ("DSC_1", "image/x-canon-cr2", "DSC_1.cr2"), ("a.svg", "image/tiff", "a.svg.tif"),
            ("DSC_1.JPG", "image/jpeg", "DSC_1.JPG"), ("IMG_1.HEIC", "image/heif", "IMG_1.HEIC"),
            ("P1.ORIGINAL.NEF", "image/tiff", "P1.ORIGINAL.NEF"),
        ] {
            #expect(Photo.name(filename: name, id: "id", contentType: type) == wanted)
        }
        #expect(Photo.name(filename: nil, id: "id", contentType: "image/x-nikon-nef") == "id.nef")
        let long = Photo.name(
            filename: String(repeating: "x", count: 255), id: "id", contentType: "image/jpeg")
        #expect(long.utf8.count == 255 && long.hasSuffix("x.jpg"))
    }

    @Test("a name whose ending is all there is, and one without an ending, are whole names")
    func endings() {
        for (name, wanted) in [
            ("DSC_1.NEF", "DSC_1.jpg"), ("DSC_1", "DSC_1.jpg"), ("a.b.png", "a.b.jpg"),
            (String(repeating: "x", count: 255), String(repeating: "x", count: 251) + ".jpg"),
        ] {
            #expect(Photo.screenName(filename: name, id: "id", contentType: "image/png") == wanted)
        }
        #expect(Photo.screenName(filename: nil, id: "id", contentType: "image/jpeg") == "id.jpg")
    }
}
