import Testing

@Suite struct DocumentTests {
    static let longestReadme = 200
    static let longestReadmeLine = 200
    /// Of an article; rows of tables and blocks of code cannot be wrapped.
    static let longestLine = 120
    /// Of a picture: a clone should not be slow because of its documents.
    static let largestPicture = 150_000

    @Test("every library target and every program has an article that tells its story")
    func articles() throws {
        for target in try Architecture().targets where target.kind != "C" {
            let path = "Sources/\(target.name)/\(target.name).docc/\(target.name).md"
            try #require(House.files.contains(path), "\(path)")
            let text = try House.text(path)
            #expect(text.hasPrefix("# ``\(target.name)``\n"), "\(path)")
            #expect(text.split(separator: "\n").count > 10, "\(path) tells nothing")
        }
    }

    @Test("the README can be read in some minutes")
    func readmeIsShort() throws {
        let lines = try House.text(Document.readme).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count - 1 <= Self.longestReadme, "\(lines.count - 1) lines")
        for (index, line) in lines.enumerated() {
            #expect(line.count <= Self.longestReadmeLine, "line \(index + 1) has \(line.count) characters")
        }
    }

    @Test("articles are wrapped, so that any editor and any comparison shows them")
    func wrapped() throws {
        for document in try Document.all() where document.path != Document.readme {
            for line in document.lines where !line.hasPrefix("|") {
                #expect(
                    line.count <= Self.longestLine, "\(document.path) has a line of \(line.count): \(line)")
            }
        }
    }

    @Test("documents are plain Markdown: a link that only DocC follows is none on a forge")
    func plain() throws {
        for document in try Document.all() {
            let isPlain = !document.prose.contains("<doc:")
            #expect(isPlain, "\(document.path) links by <doc:…>")
        }
    }

    @Test("every symbol that a document names is declared")
    func symbols() throws {
        let declared = try Declarations(of: "Sources")
        for document in try Document.all() {
            for symbol in document.symbols {
                let unknown = declared.unknownPart(of: symbol)
                #expect(unknown == nil, "\(document.path) names ``\(symbol)``")
            }
            for (type, path) in document.declarations where Self.places.contains(path) {
                let isDeclared = try Declarations(in: [path]).types.contains(type)
                #expect(isDeclared, "\(document.path) looks for \(type) in \(path)")
            }
        }
    }

    /// Help texts are the programs' own.
    static let unnamed: Set = ["whoever", "somebody", "nobody", "everybody", "anybody"]

    @Test("sentences name who acts")
    func actors() throws {
        for document in try Document.all() where !document.path.hasSuffix("/CommandReference.md") {
            for line in document.lines {
                let words = line.lowercased().split { !$0.isLetter }.map(String.init)
                #expect(Self.unnamed.isDisjoint(with: words), "\(document.path): \(line)")
            }
        }
    }

    @Test("what a document names in the repository is there")
    func names() throws {
        let there = Self.places
        for document in try Document.all() {
            for name in Architecture.names(in: document.prose) {
                let path = name.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
                guard let top = path.split(separator: "/").first, path.contains("/"), !path.contains("<"),
                    ["Sources", "Tests", "Fixtures", "tools", ".ci"].contains(String(top))
                else { continue }
                let isThere = there.contains(path.hasSuffix("/") ? String(path.dropLast()) : path)
                #expect(isThere, "\(document.path) names \(path)")
            }
        }
    }

    @Test("every link in a document leads to a file that is there, and to a heading in it")
    func links() throws {
        let there = Self.places
        for document in try Document.all() {
            for (path, heading) in document.relativeLinks {
                let isThere = there.contains(path)
                #expect(isThere, "\(document.path) links to \(path)")
                guard let heading, path.hasSuffix(".md"), isThere else { continue }
                let headings = try Document.read(path).headings
                #expect(headings.contains(heading), "\(document.path) links to #\(heading) in \(path)")
            }
        }
    }

    @Test("every article and every picture can be reached from the README or from another article")
    func reached() throws {
        var linked: Set<String> = [Document.readme]
        for document in try Document.all() {
            linked.formUnion(document.relativeLinks.map(\.path))
        }
        // A target's own article is found by its name, as the README says.
        let own = try Architecture().targets.map { "Sources/\($0.name)/\($0.name).docc/\($0.name).md" }
        for path in House.files where path.contains(".docc/") {
            #expect(linked.contains(path) || own.contains(path), "no document links to \(path)")
        }
    }

    @Test("pictures are small")
    func pictures() throws {
        let pictures = House.files.filter { $0.contains(".docc/Resources/") }
        #expect(!pictures.isEmpty)
        for path in pictures {
            let size = try House.bytes(path).count
            #expect(size <= Self.largestPicture, "\(path) has \(size) bytes")
        }
    }

    @Test("the article about the tools names every one")
    func tools() throws {
        let article = try House.text("Sources/tetherline/tetherline.docc/Tools.md")
        for tool in House.entries(of: "tools") where !tool.isFolder {
            let isNamed = article.contains("`tools/\(tool.name)`")
            #expect(isNamed, "\(tool.name)")
        }
    }

    @Test("the article about testing names every suite")
    func suites() throws {
        let article = try House.text("Sources/tetherline/tetherline.docc/Testing.md")
        for suite in House.entries(of: "Tests") where suite.isFolder && suite.name.hasSuffix("Tests") {
            let isNamed = article.contains("`\(suite.name)`")
            #expect(isNamed, "\(suite.name)")
        }
    }

    @Test(
        "the vocabulary has every state of a photo and of a delivery",
        arguments: ["CaptureState", "JobState"])
    func states(type: String) throws {
        let sources = try House.swiftFiles(below: "Sources").map(House.text)
        let source = try #require(sources.first { $0.contains("enum \(type): String") })
        let declaration = try #require(source.split(separator: "enum \(type): String").dropFirst().first)
        let body = declaration.split(separator: "\n}", maxSplits: 1)[0]
        let states = body.split(separator: "\n").compactMap { line -> [Substring]? in
            guard line.trimmed.hasPrefix("case ") else { return nil }
            return line.trimmed.dropFirst(5).split(separator: ",").map { Substring($0.trimmed) }
        }.flatMap { $0 }
        #expect(states.count == 7)
        let article = try House.text("Sources/tetherline/tetherline.docc/Vocabulary.md")
        for state in states {
            let isNamed = article.contains("\n| `\(state)` |")
            #expect(isNamed, "\(state)")
        }
    }

    private static let places = Set(House.files).union(House.files.flatMap(folders))

    private static func folders(of path: String) -> [String] {
        let parts = path.split(separator: "/")
        return (1..<max(1, parts.count)).map { parts.prefix($0).joined(separator: "/") }
    }

    @Test("the examples of the article about the libraries are the code that the tests compile and run")
    func examples() throws {
        let article = try House.text("Sources/Camera/Camera.docc/UsingTheLibraries.md")
        let shown = House.swiftFiles(below: "Tests/ExamplesTests")
        #expect(!shown.isEmpty)
        var count = 0
        for path in shown {
            for block in Self.examples(in: try House.text(path)) {
                count += 1
                #expect(
                    article.contains("```swift\n\(block)```"), "\(path) has another version of:\n\(block)")
            }
        }
        #expect(article.ranges(of: "```swift\n").count == count)
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

    @Test("links are found, and what they lead to")
    func linksAreFound() {
        let text = """
            # A, in *two* words
            [one](B.md#a-word) and ![a picture
            ](../C.docc/Resources/d.png), [out](https://example.org/x.md), [here](#a-in-two-words)
            ```sh
            [not](this.md)
            ```
            ``One/two(_:)`` is in [`One`](../One.swift)
            """
        let document = Document(path: "Sources/X/X.docc/A.md", text: text)
        let links = document.relativeLinks
        #expect(
            links.map(\.path) == [
                "Sources/X/X.docc/B.md", "Sources/X/C.docc/Resources/d.png", "Sources/X/X.docc/A.md",
                "Sources/X/One.swift",
            ])
        #expect(links.map(\.heading) == ["a-word", nil, "a-in-two-words", nil])
        #expect(document.headings == ["a-in-two-words"])
        #expect(document.symbols == ["One/two(_:)"])
        #expect(document.declarations.map(\.type) == ["One"])
        #expect(document.declarations.map(\.path) == ["Sources/X/One.swift"])
    }
}
