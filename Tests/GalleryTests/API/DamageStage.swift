import Basics
import TestSupport
import Testing

@testable import Gallery

/// The program that damaged files are sent to, and good photos between them, of which none is like another.
final class DamageStage: Sendable {
    static let shared = Result { try DamageStage() }

    let program: GalleryProgram
    private let jpeg: [UInt8]
    private let sent = Shared(0)

    private init() throws {
        program = try GalleryProgram()
        // Pictures are looked at without a pass.
        let opened = try program.ask("PATCH", "/events/\(program.event)", #"{"pin":null}"#)
        try #require(opened.status == 200, "\(opened.text)")
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let made = try #require(Tool("convert")).run([
            "-size", "160x120", "-seed", "3", "plasma:", "-strip", "-quality", "90", folder.file("good.jpg"),
        ])
        try #require(made.code == 0, "\(made.errors)")
        jpeg = try readFile(folder.file("good.jpg"))
    }

    /// With its number as a comment (ITU-T T.81, B.2.4.5); number zero has none.
    func photo(_ number: Int) -> [UInt8] {
        let text = Array("\(number)".utf8)
        let comment = number == 0 ? [] : [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text
        return Array(jpeg.prefix(2)) + comment + jpeg.dropFirst(2)
    }

    /// Whatever came, a good photo becomes one.
    func expectGood(at location: SourceLocation = #_sourceLocation) throws {
        let number = sent.change { number in
            number += 1
            return number
        }
        let outcome = try program.bring(photo(number))
        #expect(outcome == ("completed", nil), sourceLocation: location)
    }

    /// Rows and objects fit together.
    func expectWhole(at location: SourceLocation = #_sourceLocation) throws {
        let check = try program.check()
        #expect(
            check.code == 0 && check.text.contains(" 0 problems"), "\(check.text) \(check.errors)",
            sourceLocation: location)
    }

    /// What a page shows of an upload that has become a photo.
    func thumb(of ended: JSONValue) throws -> [UInt8] {
        let id = try #require(ended["photoId"]?.string, "\(ended)")
        let photo = try program.ask("GET", "/photos/\(id)")
        let key = try #require(photo["thumbKey"]?.string, "\(photo.text)")
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let got = try #require(Tool("curl")).run([
            "-s", "--noproxy", "*", "-o", folder.file("thumb"), "-w", "%{http_code}",
            "http://127.0.0.1:\(program.port)/images/\(key)",
        ])
        #expect(got.text == "200", "\(got.errors)")
        return try readFile(folder.file("thumb"))
    }
}
