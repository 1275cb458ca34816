import Basics
import Bridge
import Digest
import Glibc
import Synchronization
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite struct CaptionedDestinationTests {
    /// Answers for each photo by its name.
    struct Writer: CaptionWriter {
        let files: [String: CaptionedFile]
        func file(for job: Job) async -> CaptionedFile { files[job.facts.name] ?? .none }
    }

    let spool: TestSpool
    let place: FolderPlace
    let made: TemporaryFolder

    init() throws {
        spool = try TestSpool()
        place = try FolderPlace(spool, query: "?name={ext}/{name}")
        made = try TemporaryFolder()
    }

    func file(_ name: String, _ text: String) throws -> StagedPhoto {
        try made.write(text, to: name)
        return StagedPhoto(
            file: name, size: UInt64(text.utf8.count), sha256: "\(SHA256.of(Array(text.utf8)))",
            folder: made.path)
    }

    func destination(_ files: [String: CaptionedFile]) -> CaptionedDestination {
        CaptionedDestination(place.destination, Writer(files: files))
    }

    func receipt(_ outcome: DeliveryOutcome) throws -> Receipt {
        guard case .delivered(let receipt) = outcome else { throw Unexpected(text: "\(outcome)") }
        return receipt
    }

    struct Unexpected: Error {
        let text: String
    }

    @Test("a copy goes in the photo's place, under the photo's name, and the receipt is about the copy")
    func copy() async throws {
        let job = try spool.job(1, "A.JPG", Array("camera".utf8))
        let copy = try file("copy", "with words")
        let destination = destination(["A.JPG": .copy(copy, unknownCodes: ["7"])])
        for _ in 0..<2 {
            let receipt = try receipt(await destination.deliver(job))
            #expect(receipt.place == .key("JPG/A.JPG"))
            #expect(receipt.sha256 == copy.sha256)
            #expect(receipt.caption == .inside(unknownCodes: ["7"]))
            #expect(Receipt(noted: receipt.json.compact) == receipt)
        }
        #expect(place.names == ["JPG/A.JPG"])
        #expect(try place.bytes("JPG/A.JPG") == Array("with words".utf8))
        #expect(spool.folder.contents() == ["1"])
    }

    @Test("a sidecar lies beside its photo, whatever the photo is called there")
    func sidecar() async throws {
        place.top.makeFolder("NEF")
        try place.top.write("in the way", to: "NEF/A.NEF")
        let job = try spool.job(1, "A.NEF", Array("camera".utf8))
        let sidecar = try file("a", "<x/>")
        let destination = destination(["A.NEF": .sidecar(sidecar, unknownCodes: [])])
        let receipt = try receipt(await destination.deliver(job))
        #expect(receipt == (try self.receipt(await destination.deliver(job))))
        #expect(receipt.sha256 == job.photo.sha256)
        guard case .key(let name) = receipt.place,
            case .sidecar(let key, 4, sidecar.sha256, []) = receipt.caption
        else { throw Unexpected(text: "\(receipt)") }
        #expect(key == name.replacing(".NEF", with: ".xmp"))
        #expect(name != "NEF/A.NEF")
        #expect(Set(place.names) == ["NEF/A.NEF", name, key])
        #expect(Receipt(noted: receipt.json.compact) == receipt)
    }

    @Test("a photo whose sidecar does not arrive is not sent once more")
    func second() async throws {
        let job = try spool.job(1, "A.NEF", Array("camera".utf8))
        var sidecar = try file("a", "<x/>")
        let right = sidecar.sha256
        sidecar.sha256 = String(repeating: "0", count: 64)
        let files = Mutex(["A.NEF": CaptionedFile.sidecar(sidecar, unknownCodes: [])])
        let destination = CaptionedDestination(place.destination, Changing { files.withLock { $0 } })
        #expect(throws: Unexpected.self) { try receipt(.permanent("")) }
        guard case .permanent = await destination.deliver(job) else {
            throw Unexpected(text: "it was delivered")
        }
        #expect(place.names == ["NEF/A.NEF"])
        // A hot folder: others have taken it away.
        #expect(unlink(place.top.file("NEF/A.NEF")) == 0)
        sidecar.sha256 = right
        files.withLock { $0 = ["A.NEF": .sidecar(sidecar, unknownCodes: [])] }
        _ = try receipt(await destination.deliver(job))
        #expect(place.names == ["NEF/A.xmp"])
    }

    struct Changing: CaptionWriter {
        let files: @Sendable () -> [String: CaptionedFile]
        func file(for job: Job) async -> CaptionedFile { files()[job.facts.name] ?? .none }
    }

    @Test("a photo goes without its caption where none can be written, and the receipt says why")
    func leftOut() async throws {
        let job = try spool.job(1, "A.JPG", Array("camera".utf8))
        let receipt = try receipt(await destination(["A.JPG": .leftOut("it is damaged")]).deliver(job))
        #expect(receipt.caption == .leftOut("it is damaged"))
        #expect(receipt.sha256 == job.photo.sha256)
        #expect(Receipt(noted: receipt.json.compact) == receipt)
        #expect(try place.bytes("JPG/A.JPG") == Array("camera".utf8))
    }

    @Test("nothing is said of a photo about which nothing is known to be said, and nothing goes at an end")
    func nothing() async throws {
        let job = try spool.job(1, "A.JPG", Array("camera".utf8))
        #expect(await destination(["A.JPG": .stopped]).deliver(job) == .cancelled)
        #expect(place.names.isEmpty)
        let receipt = try receipt(await destination([:]).deliver(job))
        #expect(receipt.caption == nil)
        #expect(!receipt.json.compact.contains("caption"))
    }

    @Test(
        "every kind of address takes metadata=iptc, and the same parameter with another word is a mistake",
        arguments: ["file:///a", "s3://b", "webdavs://h/f", "sftp://u@h/f", "ftp://u@h/f"])
    func addresses(url: String) throws {
        func says(_ url: String) throws -> Bool {
            switch url.prefix(while: { $0 != ":" }) {
            case "file": try FolderAddress(url).writesCaptions
            case "s3": try S3Address(url).writesCaptions
            case "webdavs": try WebDAVAddress(url).writesCaptions
            default: try FilesAddress(url).writesCaptions
            }
        }
        #expect(try says("\(url)?metadata=iptc"))
        #expect(try says("\(url)?name={name}&metadata=iptc&consumed=true"))
        #expect(try !says(url))
        #expect(try !says("\(url)?metadata=none"))
        let problem = #expect(throws: AddressProblem.self) { _ = try says("\(url)?metadata=exif") }
        #expect(problem?.description.contains("metadata=iptc") == true)
    }
}
