import TestSupport
import Testing

/// `camera info --report FILE`: what is in it, what is not, and that the recording answers like the body.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CameraReportTests {
    static let models = ["canon-r6", "nikon-z6ii", "sony-a7m4"]

    private func utf16(_ text: String, isBig: Bool = false) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            return isBig ? bytes.reversed() : bytes
        }
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.dropLast(max(0, part.count - 1)).contains {
            bytes[$0..<$0 + part.count].elementsEqual(part)
        }
    }

    @Test(
        "a report says what the body is and nothing of whose it is, and its recording plays back",
        arguments: models)
    func report(model: String) throws {
        let guid = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
        let camera = try Camsim(
            "--model", model, "--serial", "4711081500", "--name", "Annas Kamera", "--guid", guid, "--photos",
            "3",
            "--photo-size", "20000")
        let person = try Operator()
        let path = person.folder.file("report")
        let info = try person.run("camera", "info", camera.address, "--name", "Werkstatt", "--report", path)
        #expect(info.code == 0 && info.text.contains("4711081500"), "\(info.errors)")
        #expect(info.errors.contains("\(path).pcap"))

        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text.contains("Not yet seen on a body") && text.contains("operations"), "\(text)")
        let recording = try readFile("\(path).pcap")
        let digits = Array(guid)
        let identifier = stride(from: 0, to: 32, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        for bytes in [Array(text.utf8), recording] {
            for secret in ["4711081500", "Annas Kamera", "Kamera", "Werkstatt", guid, "CAMSIM1", "127.0.0.1"]
            {
                #expect(!contains(bytes, Array(secret.utf8)), "\(secret)")
                #expect(
                    !contains(bytes, utf16(secret)) && !contains(bytes, utf16(secret, isBig: true)),
                    "\(secret)")
            }
            #expect(!contains(bytes, identifier) && !contains(bytes, [127, 0, 0, 1]))
        }

        let replayed = try Camsim("--replay", "\(path).pcap")
        let again = try Operator().run("camera", "info", replayed.address)
        #expect(again.code == 0, "\(again.errors)\(replayed.daemon.output)")
        let lines = { (output: Tool.Output) in
            output.lines.filter { $0.hasPrefix("camera") || $0.hasPrefix("operations") }
        }
        #expect(lines(again) == lines(info), "\(again.text)")
    }

    @Test("a body that lets nobody in is reported as well, by how it refuses")
    func refused() throws {
        let camera = try InteropTests.camsim(faults: "init-fail reason=5")
        let person = try Operator()
        let path = person.folder.file("report")
        let info = try person.run("camera", "info", camera.address, "--report", path)
        #expect(info.code != 0, "\(info.text)")
        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text.contains("seen   Init Fail with a reason above 3"), "\(text)")
    }
}
