import Glibc
import Testing

@Suite struct RepositoryTests {
    @Test("at the top stands only what belongs there")
    func top() {
        let allowed: Set = [
            "Package.swift", "Sources", "Tests", "Fixtures", "tools", "README.md", ".ci", ".git",
            ".gitignore",
            ".gitattributes", ".editorconfig", ".build", ".swiftpm",
        ]
        let extra = House.entries(of: "").map(\.name).filter { !allowed.contains($0) }
        #expect(extra.isEmpty)
    }

    static let isText: @Sendable (String) -> Bool = { path in
        if [".png", ".jpg"].contains(where: path.hasSuffix) { return false }
        return !path.hasPrefix("Fixtures/") || path.hasSuffix(".md") || path.hasSuffix(".json")
    }

    /// Put together here, so that this file does not hold them.
    static let bannedWords = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
    static let bannedPlaces = ["wo" + "rk", "fa" + "rm", "ro" + "ot", "ho" + "me"].map { "/\($0)/" }

    @Test("nothing is left for later in a comment, and no path of a machine stands anywhere")
    func words() throws {
        for path in House.files.filter(Self.isText) {
            for (index, line) in try House.text(path).split(separator: "\n").enumerated() {
                for word in line.split(whereSeparator: { !$0.isLetter })
                where Self.bannedWords.contains("\(word)") {
                    Issue.record("\(path):\(index + 1) says \(word)")
                }
                for place in Self.bannedPlaces where Self.isPath(place, in: line) {
                    Issue.record("\(path):\(index + 1) names \(place)")
                }
            }
        }
    }

    /// Whether it stands at the start of a path, and not inside one.
    static func isPath(_ place: String, in line: Substring) -> Bool {
        line.ranges(of: place).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || "_.-}".contains(before))
        }
    }

    @Test("a path of a machine is told from a path inside the package")
    func placesAreTold() {
        let place = Self.bannedPlaces[0]
        #expect(Self.isPath(place, in: "cd \(place)main"[...]))
        #expect(Self.isPath(place, in: "\(place)x"[...]))
        #expect(!Self.isPath(place, in: "Sources\(place)x"[...]))
    }

    @Test("every fixture is used by a test or a tool")
    func fixtures() throws {
        var named: Set<Substring> = []
        for path in House.files where path.hasPrefix("Tests/") || path.hasPrefix("tools/") {
            let text = try House.text(path)
            named.formUnion(text.split(separator: "\"", omittingEmptySubsequences: false))
            for rest in text.split(separator: "Fixtures/").dropFirst() {
                named.insert(rest.prefix { $0.isLetter || $0.isNumber || "-_.".contains($0) })
            }
        }
        for path in House.files where path.hasPrefix("Fixtures/") {
            // By its own name, or by the folder that a test goes through.
            let isUsed = path.split(separator: "/").dropFirst().contains { named.contains($0) }
            #expect(isUsed, "\(path)")
        }
    }

    @Test("tools run, and stop at the first thing that fails")
    func tools() throws {
        for path in House.files where path.hasPrefix("tools/") && !path.split(separator: "/")[1].contains(".")
        {
            #expect(access("\(House.root)/\(path)", X_OK) == 0, "\(path)")
            let text = try House.text(path)
            if text.hasPrefix("#!/usr/bin/env python3\n") { continue }
            #expect(text.hasPrefix("#!/usr/bin/env bash\n"), "\(path)")
            #expect(text.contains("\nset -euo pipefail\n"), "\(path)")
        }
    }
}
