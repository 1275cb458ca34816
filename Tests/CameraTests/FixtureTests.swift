import Bridge
import Camera
import PTP
import PacketCapture
import Posix
import Simulator
import TestSupport
import Testing

/// Sessions recorded from strangers and from ourselves, and what has to be found in them.
@Suite struct FixtureTests {
    static let sessions: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        return parts.joined(separator: "/") + "/Fixtures/sessions"
    }()

    static let photos = ["gphoto2-fetches-a-card", "tetherline-fetches-a-card"]
    static let all = photos + ["tetherline-fetches-a-card-without-photos"]

    static func recording(_ name: String) throws -> Recording {
        let contents = try PcapFile.conversations(in: "\(sessions)/\(name).pcap")
        #expect(contents.damage == nil)
        return Recording(try #require(contents.conversations.first))
    }

    static func expected(_ name: String) throws -> [String] {
        String(decoding: try readFile("\(sessions)/\(name).offers.tsv"), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    /// A client and the camera of a recording.
    static func replay<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (CameraSession) async throws -> Result
    ) async throws -> Result {
        try await SimulatedCamera.serve(replaying: recording(name)) { address in
            let options = CameraSession.Options(identity: InitCommandRequest(guid: .zero, name: "test"))
            return try await CameraSession.tether(to: address, options: options, body)
        }
    }

    static func line(_ offer: Offer) -> String {
        let photo = offer.identity
        let path = (photo.folders + [photo.name]).joined(separator: "/")
        return "\(path)\t\(photo.size)\t\(photo.captureDate)\t\(String(photo.format, radix: 16))"
    }

    @Test("a recorded card offers, played back, what was on it", arguments: all)
    func offers(name: String) async throws {
        let offers = try await SimulatedCamera.serve(replaying: Self.recording(name)) { address in
            let reactor = try Reactor(name: "camera")
            defer { reactor.shutDown() }
            let us = try #require(ClientIdentity(id: String(repeating: "0", count: 32), name: "test"))
            let camera = GenericConnector(
                to: try HostPort(address, defaultPort: 15740), settings: GenericSettings(identity: us),
                reactor: reactor)
            return try await camera.connected(knowing: nil, onStep: { _ in }) {
                try await $0.survey(SurveyOptions(), onDescribed: {}).offers
            }
        }
        #expect(offers.map(Self.line).sorted() == (try Self.expected("a-card")))
        #expect(
            offers.allSatisfy { $0.identity.camera.body == "4711" && $0.identity.camera.model == "Generic" })
    }

    @Test("what two strangers recorded of one card are the same photos, byte for byte")
    func sameBytes() async throws {
        let both = try await Self.photos.asyncMap { name in
            try await Self.replay(name) { camera in
                var found: [String: [UInt8]] = [:]
                let workers = PhotoWorkers.start()
                defer { workers.shutDown() }
                for object in try await camera.list().objects where object.info.format == .exifJPEG {
                    let sink = ArraySink()
                    _ = try await camera.fetch(object.handle, .whole, into: sink, workers: workers)
                    #expect(sink.bytes.count == 2000 && sink.bytes.starts(with: [0xFF, 0xD8]))
                    found[object.info.fileName] = sink.bytes
                }
                return found
            }
        }
        #expect(both[0].count == 3)
        #expect(both[0] == both[1])
    }

    @Test("a recording without photos says so when one is asked for")
    func withoutPhotos() async throws {
        let error = await #expect(throws: CameraError.self) {
            try await Self.replay("tetherline-fetches-a-card-without-photos") { camera in
                let photo = try await camera.list().objects.first { $0.info.format == .exifJPEG }
                let workers = PhotoWorkers.start()
                defer { workers.shutDown() }
                _ = try await camera.fetch(
                    try #require(photo).handle, .whole, into: ArraySink(), workers: workers)
            }
        }
        #expect(error?.response == .incompleteTransfer)
    }

    @Test("a recorded shoot tells of its shots again, and each can be described")
    func tethered() async throws {
        let lines = try await Self.replay("gphoto2-tethers-three-shots") { camera in
            var lines: [String] = []
            for await notice in camera.notices {
                guard notice.code == .objectAdded, let handle = notice.parameters.first else { continue }
                let info = try await camera.info(of: ObjectHandle(rawValue: handle))
                // gphoto2 looked one folder up, and no further.
                let folder = try await camera.info(of: info.parent).fileName
                lines.append(
                    "DCIM/\(folder)/\(info.fileName)\t\(info.compressedSize)\t\(info.captureDate)\t"
                        + String(info.format.rawValue, radix: 16))
                if lines.count == 3 { break }
            }
            return lines
        }
        #expect(lines == (try Self.expected("three-shots")))
    }
}

extension Sequence where Element: Sendable {
    /// One after the other.
    func asyncMap<Result: Sendable>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
