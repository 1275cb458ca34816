import Basics
import Digest
import HTTPClient
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// Archives out of every kind of storage, and what becomes of them when that fails.
@Suite(.enabled(if: Tool.isThere("unzip") && Tool.isThere("curl"), "unzip and curl are the judges"))
struct ZipStreamTests {
    typealias Kind = StoragePlace.Kind

    /// Of three pieces, of one, and of a little.
    static let sizes = [Int(ZipStream.piece) * 2 + 1, Int(ZipStream.piece), 17]

    /// Files in a storage, as the database would have them; with their CRCs, or without as older versions kept them.
    struct Shelf {
        let place: StoragePlace
        let files: [[UInt8]]
        let entries: [ZipEntry]

        static func filled(_ place: StoragePlace, knowsCRCs: Bool = true) async throws -> Shelf {
            var random = Seeded(11)
            let files = ZipStreamTests.sizes.map { random.bytes($0) }
            let entries = files.enumerated().map { index, bytes in
                var crc = CRC32()
                bytes.withUnsafeBytes { crc.update($0) }
                return ZipEntry(
                    key: Hexadecimal.text(random.bytes(16)), name: "\(index + 1).jpg",
                    size: UInt64(bytes.count), crc: knowsCRCs ? crc.value : nil,
                    at: Timestamp(milliseconds: 1_795_287_543_000), sequence: Int64(index + 1))
            }
            let shelf = Shelf(place: place, files: files, entries: entries)
            for index in files.indices { try await keep(files[index], as: entries[index].key, place) }
            return shelf
        }

        private static func keep(_ bytes: [UInt8], as key: String, _ place: StoragePlace) async throws {
            try place.scratch.write(bytes, to: key)
            try await place.storage.keep(place.scratch.file(key), as: key, type: "image/jpeg")
        }

        /// Something else lies there from now on.
        func replace(_ index: Int, by bytes: [UInt8]) async throws {
            try await place.storage.remove(entries[index].key)
            try await Self.keep(bytes, as: entries[index].key, place)
        }

        func stream(
            _ time: any TimeSource = ManualClock(), told: Shared<[String]> = Shared([]),
            of layout: ZipLayout? = nil, from begin: UInt64 = 0, to end: UInt64? = nil,
            learned: Shared<[String: UInt32]> = Shared([:])
        ) -> ZipStream {
            let layout = layout ?? ZipLayout(entries)
            var questions = ZipStream.Questions(cut: { error in told.change { $0.append("\(error)") } })
            questions.sha256 = { file in
                entries.firstIndex { $0.key == file.key }.map { "\(SHA256.of(files[$0]))" }
            }
            questions.learned = { file, crc in learned.change { $0[file.name] = crc } }
            return ZipStream(
                layout, begin..<(end ?? layout.length), from: place.storage, time: time, questions)
        }
    }

    /// Everything that the stream gives, as the server asks for it.
    private func read(_ stream: ZipStream) async throws -> [UInt8] {
        var all: [UInt8] = []
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { memory.deallocate() }
        while true {
            let count = try await stream.read(into: memory)
            if count == 0 { return all }
            all += memory[..<count]
        }
    }

    private func judge(_ archive: [UInt8], _ shelf: Shelf) throws {
        try shelf.place.scratch.write(archive, to: "all.zip")
        let unzip = try #require(Tool("unzip"))
        let path = shelf.place.scratch.file("all.zip")
        let test = try unzip.run(["-t", path])
        #expect(test.code == 0 && test.text.contains("No errors detected"), "\(test.text) \(test.errors)")
        for (entry, bytes) in zip(shelf.entries, shelf.files) {
            #expect(try unzip.run(["-p", path, entry.name]).output == bytes)
        }
    }

    @Test("unzip finds the files of a storage as they are there", arguments: Kind.there)
    func whole(kind: Kind) async throws {
        let shelf = try await Shelf.filled(try StoragePlace(kind))
        let told = Shared<[String]>([])
        try judge(try await read(shelf.stream(told: told)), shelf)
        #expect(told.value == [])
        await shelf.place.stop()
    }

    @Test("from any place on come the bytes of the whole, and no others", arguments: Kind.there)
    func parts(kind: Kind) async throws {
        let shelf = try await Shelf.filled(try StoragePlace(kind))
        let layout = ZipLayout(shelf.entries)
        let whole = try await read(shelf.stream())
        #expect(UInt64(whole.count) == layout.length)
        var random = Seeded(12)
        for _ in 0..<20 {
            let begin = UInt64.random(in: 0..<layout.length, using: &random)
            let end = min(layout.length, begin + UInt64.random(in: 1...3_000_000, using: &random))
            let part = try await read(shelf.stream(from: begin, to: end))
            #expect(part == Array(whole[Int(begin)..<Int(end)]), "\(begin) \(end)")
        }
        await shelf.place.stop()
    }

    @Test("what has no CRC yet is read for it once, whichever part is asked for first", arguments: Kind.there)
    func unknownCRCs(kind: Kind) async throws {
        let known = try await Shelf.filled(try StoragePlace(kind))
        let whole = try await read(known.stream())
        await known.place.stop()
        let shelf = try await Shelf.filled(try StoragePlace(kind), knowsCRCs: false)
        let layout = ZipLayout(shelf.entries)
        let learned = Shared<[String: UInt32]>([:])
        // The end first, as programs do that look for the directory.
        let tail = try await read(shelf.stream(of: layout, from: layout.length - 100, learned: learned))
        #expect(tail == Array(whole.suffix(100)))
        #expect(learned.value.count >= 1)
        #expect(try await read(shelf.stream(of: layout, learned: learned)) == whole)
        #expect(Set(learned.value.keys) == ["1.jpg", "2.jpg", "3.jpg"])
        let again = Shared<[String: UInt32]>([:])
        #expect(try await read(shelf.stream(of: layout, learned: again)) == whole)
        #expect(again.value.isEmpty)
        await shelf.place.stop()
    }

    @Test(
        "an object that is gone, shorter, or another of the same length ends the archive, and the log is told which",
        arguments: Kind.there, [true, false])
    func wrong(kind: Kind, knowsCRCs: Bool) async throws {
        let shelf = try await Shelf.filled(try StoragePlace(kind), knowsCRCs: knowsCRCs)
        for (bytes, word) in [
            (nil, "missing"), (Array(shelf.files[1].dropLast()), "not what was uploaded"),
            (shelf.files[1].map { ~$0 }, "not what was uploaded"),
        ] as [([UInt8]?, String)] {
            if let bytes {
                try await shelf.replace(1, by: bytes)
            } else {
                try await shelf.place.storage.remove(shelf.entries[1].key)
            }
            let told = Shared<[String]>([])
            await #expect(throws: (any Error).self) { try await read(shelf.stream(told: told)) }
            let line = try #require(told.value.first)
            #expect(line.contains("'2.jpg'") && line.contains(shelf.entries[1].key) && line.contains(word))
        }
        await shelf.place.stop()
    }

    @Test("a download that cannot go on is cut, and what came of it is no archive", arguments: Kind.there)
    func cut(kind: Kind) async throws {
        let shelf = try await Shelf.filled(try StoragePlace(kind))
        let web = try WebServer(
            ServerSettings(listen: .loopback(port: 0)),
            routes: [
                Route(
                    "GET", "/all.zip",
                    .quick { _ in Response(status: 200, body: .stream(shelf.stream())) })
            ], time: ManualClock(), wall: SystemWallTime(), random: SystemRandomSource(),
            refusal: { status, message in .text(status, message) }, log: { _ in })
        let path = shelf.place.scratch.file("got.zip")
        let words = ["-o", path, "-w", "%{http_code} %{exitcode}", "http://127.0.0.1:\(web.port)/all.zip"]
        #expect(try await shelf.place.curl(words) == "200 0")
        try judge(try readFile(path), shelf)
        try await shelf.place.storage.remove(shelf.entries[2].key)
        // "A transfer closed with outstanding data remaining": 18.
        #expect(try await shelf.place.curl(words) == "200 18")
        #expect(try readFile(path).count > shelf.files[0].count, "it was well under way")
        #expect(try #require(Tool("unzip")).run(["-t", path]).code != 0)
        await web.stop(within: .seconds(2))
        await shelf.place.stop()
    }

    @Test(
        "a bucket that has much to do just now is asked again, and one that is silent is not asked for ever",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
    func patience() async throws {
        let http = try MoodyTransport()
        let shelf = try await Shelf.filled(try StoragePlace(.s3, http: http))
        let time = HastyTime()
        http.troubles.change { $0 = [nil, .busy, .cut, nil, .short, nil, .busy] }
        try judge(try await read(shelf.stream(time)), shelf)
        #expect(time.waits.value == [.seconds(1), .seconds(4), .seconds(1), .seconds(1)])
        http.troubles.change { $0 = [nil, .busy, .busy, .busy] }
        let told = Shared<[String]>([])
        await #expect(throws: StorageProblem.self) { try await read(shelf.stream(time, told: told)) }
        #expect(told.value.count == 1)
        http.troubles.change { $0 = [nil, .changed] }
        await #expect(throws: StorageProblem.self) { try await read(shelf.stream(time)) }
    }
}

/// A real store between which and us something happens: each time a part of an object is read, the next of these.
final class MoodyTransport: HTTPTransport {
    enum Trouble {
        case busy
        case cut
        case short
        case changed
    }

    let troubles = Shared<[Trouble?]>([])
    private let http: CurlClient

    init() throws {
        http = try CurlClient()
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let isPart = request.headers.contains { $0.name == "range" }
        switch isPart ? troubles.change({ $0.isEmpty ? nil : $0.removeFirst() }) : nil {
        case nil: return try await http.send(request)
        case .busy: return HTTPResponse(status: 503)
        case .cut: throw .broken("the connection is gone", bodyWasSent: true)
        case .short:
            let answer = try await http.send(request)
            return HTTPResponse(
                status: answer.status, headers: answer.headers, body: Array(answer.body.dropLast()))
        case .changed: return HTTPResponse(status: 412)
        }
    }

    func forgetConnections() {}
}

/// Sleeps end at once, and it is noted until when they would have lasted.
final class HastyTime: TimeSource {
    let waits = Shared<[Duration]>([])
    var now: Duration { .zero }

    func sleep(until deadline: Duration) async throws(CancellationError) {
        waits.change { $0.append(deadline) }
    }
}
