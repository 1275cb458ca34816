import Testing

/// What is decided in one place when photos are delivered is decided nowhere else, and the rules that say so are seen to
/// find what breaks them.
@Suite struct UploadRuleTests {
    private static let all = House.swiftFiles(below: "Sources")
    static let paths = all.filter(UploadRule.holds)

    @Test("what is decided in one place is decided nowhere else", arguments: paths)
    func files(path: String) throws {
        #expect(UploadRule.breaches(of: try House.text(path), at: path) == [])
    }

    static let bad = [
        ("a walk over names", "Sources/Upload/A.swift", "let name = SafeName.numbered(last, 2)"),
        ("a walk over names", "Sources/tetherline/Camera/A.swift", "SafeName.marked(name, mark)"),
        ("a photo read by hand", "Sources/Upload/Gallery/A.swift", "let hasher = SHA256()"),
        ("a photo read by hand", "Sources/S3/Client/A.swift", "Mutex(SHA256())"),
        (
            "a queue that knows others", "Sources/Bridge/Jobs/DestinationQueue+A.swift",
            "if queues.count > 1 { return }"
        ),
        (
            "a queue that knows others", "Sources/Bridge/Jobs/DestinationQueue.swift",
            "guard !self.isPaused else"
        ),
        (
            "a sentence where something fails", "Sources/Upload/WebDAV/A.swift",
            #"return .held(.settings, "\(host) says no")"#
        ),
        (
            "a sentence where something fails", "Sources/Upload/A.swift",
            #"throw Undeliverable(outcome: .permanent("it is gone"))"#
        ),
        (
            "a sentence where something fails", "Sources/Bridge/Jobs/DestinationQueue.swift",
            #"return lost(sent, "the gallery forgets it", at: now)"#
        ),
        ("a step made by the driver", "Sources/Upload/Uploader.swift", "save([JobChange(job, from: a)])"),
    ]

    @Test("each is found where it does not belong", arguments: bad)
    func finds(example: (rule: String, path: String, code: String)) {
        let found = UploadRule.breaches(of: example.code, at: example.path)
        #expect(found.count == 1 && found[0].contains(": \(example.rule): "), "\(example.code)")
    }

    @Test("every rule has an example that breaks it, and every home is there")
    func allShown() {
        #expect(Set(UploadRule.all.map(\.name)) == Set(Self.bad.map(\.0)))
        for rule in UploadRule.all {
            #expect(rule.home.isSubset(of: Self.all), "\(rule.name)")
            for folder in rule.below { #expect(Self.paths.contains { $0.hasPrefix(folder) }, "\(folder)") }
        }
    }

    @Test(
        "a comment, another digest and the places themselves are let be",
        arguments: [
            ("Sources/Upload/A.swift", "// as SafeName.numbered does"),
            ("Sources/Upload/A.swift", "HMACSHA256.code(of: bytes, key: key)"),
            ("Sources/Upload/LocalPhoto.swift", "let whole = SHA256()"),
            ("Sources/Upload/A.swift", #"return .retryable("\(failure)", after: pause)"#),
            ("Sources/Upload/A.swift", #"// as .permanent("it is gone") does"#),
            ("Sources/Store/A.swift", "let hasher = SHA256()"),
        ])
    func spares(path: String, code: String) {
        #expect(UploadRule.breaches(of: code, at: path) == [], "\(code)")
    }
}
