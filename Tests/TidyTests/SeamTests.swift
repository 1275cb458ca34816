import Testing

/// The whole bridge can run on one executor, one clock and one seed, because what it asks of the world is handed to it.
@Suite struct SeamTests {
    /// Made of values and of what is handed to them.
    static let inner = ["Store", "Transfer", "Upload", "Camera", "Simulator", "Link"]
    /// Conveniences for users of the libraries, which make the threads of one camera themselves.
    static let doors: Set = [
        "Sources/Camera/Session/TCPLinks.swift", "Sources/Simulator/Camera/SimulatedCamera+Listen.swift",
    ]

    static let stageFiles = House.swiftFiles(below: "Sources").filter { path in
        inner.contains { path.hasPrefix("Sources/\($0)/") } && !doors.contains(path)
    }

    @Test("every actor runs on the executor that it was given", arguments: House.swiftFiles(below: "Sources"))
    func actors(path: String) throws {
        let text = SwiftText(try House.text(path))
        for line in text.lines where Self.declaresActor(line) {
            #expect(
                text.lines.contains { $0.contains("unownedExecutor") }
                    || path.hasPrefix("Sources/tetherline/Camera/"),
                "\(path): \(line) has no executor of its own")
        }
    }

    private static func declaresActor(_ line: String) -> Bool {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "actor"), place + 1 < words.count else { return false }
        return words[..<place].allSatisfy { ["public", "package", "private", "final"].contains($0) }
            && words[place + 1].first?.isUppercase == true
    }

    @Test("stages make no threads, clocks or chance", arguments: stageFiles)
    func stages(path: String) throws {
        for line in SwiftText(try House.text(path)).lines {
            for made in ["ThreadExecutor(", "Reactor(name", "Calendar()", "Chance()"] {
                #expect(!line.contains(made), "\(path) makes \(made)")
            }
        }
    }

    @Test(
        "transferring touches no disk but through the seam",
        arguments: House.swiftFiles(below: "Sources/Transfer") + ["Sources/Store/Spool/Spool.swift"])
    func disks(path: String) throws {
        for line in SwiftText(try House.text(path)).lines {
            for real in ["Directory(", "StagedFile(", "ReadableFile(", "RealFolder", "import Glibc"] {
                #expect(!line.contains(real), "\(path) uses \(real)")
            }
        }
    }

    @Test("stages reach the ledger and the disk by the protocols that Bridge declares")
    func protocols() throws {
        let session = try House.text("Sources/Transfer/TransferSession.swift")
        #expect(session.contains("let ledger: any TransferLedger"))
        #expect(session.contains("let random: any RandomSource"))
        #expect(session.contains("let wall: any WallTime"))
        #expect(try House.text("Sources/Upload/Uploader.swift").contains("let ledger: any UploadLedger"))
        #expect(try House.text("Sources/Store/Spool/Spool.swift").contains("-> any DiskFolder"))
    }
}
