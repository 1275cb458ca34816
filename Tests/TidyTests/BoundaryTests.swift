import Testing

/// Nothing above the camera boundary knows a camera's protocol, and the rule that says so is seen to find what breaks it.
@Suite struct BoundaryTests {
    static let paths = House.swiftFiles(below: "Sources").filter(Boundary.holds)

    @Test("no file above the camera boundary knows PTP", arguments: paths)
    func files(path: String) throws {
        #expect(Boundary.breaches(of: SwiftText(try House.text(path)), at: path) == [])
    }

    @Test("every target above the boundary is there, and so is the boundary")
    func isAboutSomething() {
        for target in Boundary.above {
            #expect(Self.paths.contains { $0.hasPrefix("Sources/\(target)/") }, "\(target)")
        }
        #expect(Self.paths.contains("\(Boundary.itself)CameraDriver.swift"))
        #expect(Self.paths.contains("\(Boundary.itself)CameraConnector.swift"))
    }

    @Test("the manifest gives PTP to no target above the boundary")
    func manifest() throws {
        #expect(Boundary.breaches(ofManifest: try House.text("Package.swift")) == [])
    }

    @Test(
        "PTP above the boundary is found, however it comes in",
        arguments: [
            ("Sources/Transfer/A.swift", "import PTP"), ("Sources/Console/A.swift", "package import PTP"),
            ("Sources/tetherline/Camera/A.swift", "import struct PTP.GUID"),
            ("Sources/Camera/Boundary/A.swift", "public import PTP"),
            ("Sources/Store/A.swift", "let handle: ObjectHandle"),
            ("Sources/Upload/A.swift", "if error is CameraError { return }"),
            ("Sources/Transfer/A.swift", "let driver = camera as? GenericDriver"),
            ("Sources/Transfer/A.swift", "connector = GenericConnector(to: host)"),
            ("Sources/tetherline/A.swift", "let session: CameraSession"),
        ])
    func finds(path: String, code: String) {
        #expect(Boundary.breaches(of: SwiftText(code), at: path).count == 1, "\(code)")
    }

    @Test(
        "what is below it, a comment, and a root that chooses a connector are let be",
        arguments: [
            ("Sources/Camera/Generic/A.swift", "import PTP"), ("Sources/Simulator/A.swift", "import PTP"),
            ("Sources/Transfer/A.swift", "// as in PTP: import PTP, ObjectHandle"),
            ("Sources/tetherline/A.swift", "let connector = GenericConnector(to: host)"),
            ("Sources/Transfer/A.swift", "let connector: any CameraConnector"),
        ])
    func spares(path: String, code: String) {
        #expect(Boundary.breaches(of: SwiftText(code), at: path) == [], "\(code)")
    }

    @Test("a manifest that gives PTP to a stage is found, and one that has lost a target")
    func findsManifest() {
        let targets = Boundary.above.map { ".target(name: \"\($0)\", dependencies: [\"Bridge\"])" }
        let good = targets.joined(separator: ",\n")
        #expect(Boundary.breaches(ofManifest: good) == [])
        let bad = good.replacing(
            "\"Transfer\", dependencies: [", with: "\"Transfer\", dependencies: [\"PTP\", ")
        #expect(Boundary.breaches(ofManifest: bad) == ["Transfer"])
        let short = targets.dropFirst().joined(separator: ",\n")
        #expect(Boundary.breaches(ofManifest: short) == ["Transfer"])
    }
}
