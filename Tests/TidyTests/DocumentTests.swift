import Testing

@Suite struct DocumentTests {
    @Test("every library target has an article that tells its story")
    func articles() throws {
        for target in Architecture(readme: try House.text("README.md")).targets
        where !["C", "root"].contains(target.kind) {
            let path = "Sources/\(target.name)/\(target.name).docc/\(target.name).md"
            try #require(House.files.contains(path), "\(path)")
            let text = try House.text(path)
            #expect(text.hasPrefix("# ``\(target.name)``\n"), "\(path)")
            #expect(text.split(separator: "\n").count > 10, "\(path) tells nothing")
        }
    }

    @Test("what the README names is there, and it names every tool")
    func readme() throws {
        let readme = try House.text("README.md")
        let there = Set(House.files).union(House.files.flatMap(folders))
        for name in Architecture.names(in: readme) {
            let path = name.split(separator: " ").first.map(String.init) ?? ""
            guard let top = path.split(separator: "/").first, path.contains("/"),
                ["Sources", "Tests", "Fixtures", "tools", ".ci"].contains(String(top))
            else { continue }
            let isThere = there.contains(path.hasSuffix("/") ? String(path.dropLast()) : path)
            #expect(isThere, "\(path)")
        }
        for tool in House.entries(of: "tools") where !tool.isFolder {
            #expect(readme.contains("tools/\(tool.name)"), "\(tool.name)")
        }
    }

    private func folders(of path: String) -> [String] {
        let parts = path.split(separator: "/")
        return (1..<max(1, parts.count)).map { parts.prefix($0).joined(separator: "/") }
    }

    @Test("the README's examples are the code that the tests compile and run")
    func examples() throws {
        let readme = try House.text("README.md")
        let shown = House.swiftFiles(below: "Tests/ExamplesTests")
        #expect(!shown.isEmpty)
        var count = 0
        for path in shown {
            for block in Self.examples(in: try House.text(path)) {
                count += 1
                #expect(readme.contains("```swift\n\(block)```"), "\(path) has another version of:\n\(block)")
            }
        }
        #expect(readme.ranges(of: "```swift\n").count == count)
    }

    /// What stands between "// example" and "// end", without the indentation of its first line.
    static func examples(in source: String) -> [String] {
        var blocks: [String] = []
        var current: [Substring]?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            switch line.trimmed {
            case "// example": current = []
            case "// end":
                let lines = current ?? []
                let depth = lines.first?.prefix { $0 == " " }.count ?? 0
                blocks.append(
                    lines.map { $0.dropFirst(min(depth, $0.prefix { $0 == " " }.count)) + "\n" }.joined())
                current = nil
            default: current?.append(line)
            }
        }
        return blocks
    }
}
