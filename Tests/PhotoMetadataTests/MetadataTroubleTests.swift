import Captions
import PhotoMetadata
import Posix
import TestSupport
import Testing

@Suite struct MetadataTroubleTests {
    static let entries = [MetadataEntry("Xmp.dc.description", ["x"])]
    static let sha256 = String(repeating: "0", count: 64)

    static let files: [(name: String, bytes: [UInt8])] = [
        ("nothing", []), ("text", Array("no photo".utf8)), ("only a beginning", [0xFF, 0xD8, 0xFF]),
        ("a segment beyond the end", [0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF, 0x00]),
        ("a length that none can have", [0xFF, 0xD8, 0xFF, 0xE1, 0x00, 0x01, 0xFF, 0xDA]),
        ("fill bytes without end", [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 100_000)),
        (
            "segments without end",
            [0xFF, 0xD8] + (0..<2_000).flatMap { _ in [0xFF, 0xE5, 0x00, 0x02] as [UInt8] }
        ),
        (
            "XMP that is none",
            [0xFF, 0xD8] + MultiPicture.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><broken")
                + [0xFF, 0xDA, 0x00, 0x02, 0x00]
        ),
    ]

    @Test("a photo that is damaged is named, and the next one is written all the same", arguments: files)
    func damaged(name: String, bytes: [UInt8]) async throws {
        let rig = try MetadataRig()
        try rig.folder.write(bytes, to: "a.jpg")
        let result = try await rig.make(rig.folder.file("a.jpg"), Self.entries, as: "copy.jpg")
        let problem = try #require(throws: MetadataProblem.self) { try result.get() }
        #expect(problem.kind == .photo, "\(problem)")
        #expect(rig.folder.contents() == ["a.jpg"])
        #expect(
            try await rig.make(rig.folder.file("a.jpg"), Self.entries, .sidecar, as: "a.xmp").get().size > 0)
        await rig.stop()
    }

    @Test("a file that is not what the camera sent is not copied")
    func changed() async throws {
        let rig = try MetadataRig()
        try rig.folder.write([0xFF, 0xD8, 0xFF, 0xDA, 0, 2], to: "a.jpg")
        let result = try await rig.make(
            rig.folder.file("a.jpg"), Self.entries, as: "copy.jpg", sha256: Self.sha256)
        #expect(throws: MetadataProblem.self) { try result.get() }
        #expect(try await rig.make(rig.folder.file("a.jpg"), Self.entries, as: "copy.jpg").get().size > 6)
        await rig.stop()
    }

    static let answer = #"{"size":5,"sha256":"\#(sha256)"}"#

    @Test(
        "a worker that dies takes one caption with it, and says whose fault it was",
        arguments: [
            ("kill -SEGV $$", MetadataProblem.Kind.photo), ("kill -KILL $$", .passing), ("exit 3", .passing),
            ("echo what", .photo), ("while :; do read -r never <&1; done", .passing),
        ])
    func deaths(deed: String, kind: MetadataProblem.Kind) async throws {
        let scripts = try TemporaryFolder()
        try scripts.writeProgram(
            """
            #!/bin/sh
            while read -r line <&1; do
                case "$line" in *bad*) \(deed) ;; *) echo '\(Self.answer)' ;; esac
            done

            """, to: "worker")
        let rig = try MetadataRig(program: scripts.file("worker"), wall: .milliseconds(500))
        for name in ["good.jpg", "bad.jpg"] { try rig.folder.write([1], to: name) }
        try rig.folder.write([1], to: "copy.part")
        let bad = try await rig.make(rig.folder.file("bad.jpg"), Self.entries, as: "copy")
        #expect(try #require(throws: MetadataProblem.self) { try bad.get() }.kind == kind)
        #expect(rig.folder.contents() == ["bad.jpg", "good.jpg"])
        let good = try await rig.make(rig.folder.file("good.jpg"), Self.entries, as: "copy")
        #expect(try good.get() == MadeFile(size: 5, sha256: Self.sha256))
        await rig.stop()
        let late = try await rig.make(rig.folder.file("good.jpg"), Self.entries, as: "copy")
        #expect(try #require(throws: MetadataProblem.self) { try late.get() }.kind == .stopped)
    }
}
