import Testing

/// The rules themselves, on code that breaks each of them and on code that only looks like it.
@Suite struct RuleTests {
    static let bad: [(rule: String, path: String, code: String)] = [
        ("try?", "Sources/PTP/A.swift", "let a = try? b()"),
        ("try?", "Tests/PTPTests/A.swift", "x = \"\\(try? b())\""),
        ("try!", "Sources/PTP/A.swift", "try! go()"),
        ("fatalError", "Sources/camsim/A.swift", "default: fatalError(\"no\")"),
        ("empty catch", "Sources/PTP/A.swift", "do { try a() } catch {}"),
        ("empty catch", "Sources/PTP/A.swift", "} catch let error as Problem { }"),
        ("a time limit of its own", "Tests/PTPTests/A.swift", "@Suite(.timeLimit(.minutes(1)))"),
        (
            "a refusal judged by the session", "Sources/Camera/Session/A.swift",
            "if reply.code == .deviceBusy {"
        ),
        ("a refusal judged by the session", "Sources/Camera/Session/A.swift", "switch reply.code {"),
        ("as!", "Sources/PTP/A.swift", "let x = y as! Z"),
        ("Task.detached", "Sources/Camera/A.swift", "Task.detached { }"),
        ("a clock of its own", "Sources/Camera/A.swift", "let now = ContinuousClock.now"),
        ("a clock of its own", "Sources/Bridge/A.swift", "let now = Date()"),
        ("randomness of its own", "Sources/PTP/A.swift", "var g = SystemRandomNumberGenerator()"),
        ("randomness of its own", "Sources/PTP/A.swift", "let n = Int.random(in: 0..<9)"),
        ("sleep", "Sources/Posix/A.swift", "usleep(10)"),
        ("sleep", "Sources/Link/A.swift", "try await Task.sleep(for: .seconds(1))"),
        ("sleep in a test", "Tests/LinkTests/A.swift", "    sleep(1)"),
        ("Foundation", "Sources/Bridge/A.swift", "import Foundation"),
        ("Foundation", "Tests/BridgeTests/A.swift", "@testable import FoundationEssentials"),
        ("print", "Sources/Camera/A.swift", "    print(error)"),
        ("a row's number of its own", "Sources/Store/A.swift", "public struct HookID: Hashable, Sendable {"),
        ("a test that does not run", "Tests/PTPTests/A.swift", "@Test(.disabled(\"later\"))"),
    ]

    @Test("each forbidden construct is found", arguments: bad)
    func finds(example: (rule: String, path: String, code: String)) {
        let found = Rule.breaches(of: SwiftText(example.code), at: example.path).map(\.rule.name)
        #expect(found == [example.rule], "\(example.code)")
    }

    @Test("every rule has an example that breaks it")
    func allShown() {
        #expect(Set(Rule.all.map(\.name)) == Set(Self.bad.map(\.rule)))
    }

    @Test(
        "what only looks like it is let be",
        arguments: [
            ("Sources/PTP/A.swift", "// never try? here"),
            ("Sources/PTP/A.swift", "let text = \"fatalError(\\\"no\\\")\""),
            ("Sources/PTP/A.swift", "/* try! /* nested */ as! */ let a = 1"),
            ("Sources/PTP/A.swift", "let a = \"\"\"\n  import Foundation\n  \"\"\""),
            ("Sources/PTP/A.swift", "let n = Int.random(in: 0..<9, using: &generator)"),
            ("Tests/PTPTests/A.swift", "@Suite(.timeLimit(.minutes(Cases.minutesOfHang)))"),
            ("Sources/Camera/A.swift", "try await time.sleep(until: deadline)"),
            ("Sources/tetherline/A.swift", "var g = SystemRandomNumberGenerator()"),
            ("Sources/Posix/A.swift", "clock_gettime(CLOCK_BOOTTIME, &now)"),
            ("Sources/Camera/A.swift", "} catch { throw problem(error) }"),
            ("Sources/Camera/Session/A.swift", "guard reply.code == .ok else {"),
            ("Sources/Camera/Nikon/A.swift", "switch reply.code {"),
        ])
    func spares(path: String, code: String) {
        #expect(Rule.breaches(of: SwiftText(code), at: path).isEmpty, "\(code)")
    }

    @Test("a function's length is counted from its first line to its last")
    func countsFunctions() {
        let body = Array(repeating: "    let text = \"}\" // }", count: 71)
        let long =
            ["struct A {", "  func f(", "    _ a: Int = { 1 }()", "  ) -> Int {"] + body + ["  }", "}"]
        #expect(SwiftText(long.joined(separator: "\n")).functions.map(\.lineCount) == [75])
        let wanted = "protocol P {\n  func a()\n  init(b: Int)\n}\nfunc c() {}\nlet d = A.init(1)"
        #expect(SwiftText(wanted).functions.map(\.firstLine) == [5])
        let initialiser = "init?(a: Int)\n    throws(E)\n{\n  a\n}"
        #expect(SwiftText(initialiser).functions.map(\.lineCount) == [5])
    }

    @Test("imports are read whatever stands before them")
    func readsImports() {
        let text =
            "import A\npublic import B\n@testable import C\nimport struct D.E\n// import F\nlet s = \"import G\""
        #expect(SwiftText(text).imports == ["A", "B", "C", "D"])
    }

    @Test("a manifest's dependencies are read target by target")
    func readsManifest() {
        let manifest = """
            func tests(_ name: String) -> Target { .testTarget(name: name, dependencies: [shared]) }
            let package = Package(
            name: "D",
            .target(name: "A", swiftSettings: pure),
            .target(
                name: "B", dependencies: ["A", "C"],
                swiftSettings: house),
            .systemLibrary(name: "C", pkgConfig: "c")
            """
        #expect(Architecture.dependencies(of: "A", in: manifest) == [])
        #expect(Architecture.dependencies(of: "B", in: manifest) == ["A", "C"])
        #expect(Architecture.dependencies(of: "C", in: manifest) == [])
        #expect(Architecture.dependencies(of: "D", in: manifest) == nil)
    }
}
