import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// The examples of the article about using the libraries do what they say.
@Suite struct ExampleTests {
    static let capture: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        return parts.joined(separator: "/") + "/Fixtures/sessions/tetherline-fetches-a-card.pcap"
    }()

    @Test("packets come out of chunks of any size")
    func ptp() throws {
        // A Probe Request and an Init Event Ack, each eight bytes.
        let bytes: [UInt8] = [8, 0, 0, 0, 13, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0]
        #expect(try packets(in: bytes.map { [$0] }) == [.probeRequest, .initEventAck])
    }

    @Test("a link that breaks after ten bytes lets ten through")
    func link() async throws {
        #expect(try await receivedBeforeTheCut(of: [UInt8](repeating: 1, count: 100), after: 10) == 10)
    }

    @Test("a camera is looked at")
    func camera() async throws {
        let photos = try VirtualCard(VirtualCard.Settings(), photos: 2)
        let (names, thumbnail) = try await SimulatedCamera.serve(photos) { address in
            try await look(at: address, as: .zero)
        }
        #expect(names == ["TETH0001.JPG", "TETH0002.JPG"])
        #expect(thumbnail.starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test("a capture is read")
    func reading() throws {
        let lines = try dialogue(in: Self.capture)
        #expect(lines.first == "OpenSession: OK" || lines.first == "GetDeviceInfo: OK")
        #expect(lines.last == "CloseSession: OK")
    }

    @Test("tests of others have a busy camera, and one from a capture")
    func simulator() async throws {
        let shared = Shared<[Int]>([])
        try await withBusyCamera { address in
            let count = try await look(at: address, as: .zero).names.count
            shared.change { $0.append(count) }
        }
        try await withCamera(from: Self.capture) { address in
            let options = CameraSession.Options(identity: InitCommandRequest(guid: .zero, name: "x"))
            let count = try await CameraSession.tether(to: address, options: options) {
                try await $0.list().objects.filter { !$0.info.isFolder }.count
            }
            shared.change { $0.append(count) }
        }
        #expect(shared.value == [20, 6])
    }
}
