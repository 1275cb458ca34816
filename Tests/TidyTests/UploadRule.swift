/// A rule of delivering that stands in one place: what code says that goes by it, and the only files that may say it.
struct UploadRule: Sendable {
    let name: String
    let below: [String]
    let home: Set<String>
    let reason: String
    /// Whether the rule is about what stands in quotation marks, too.
    var readsTexts = false
    let isBroken: @Sendable (_ line: String) -> Bool

    static let all = [
        UploadRule(
            name: "a walk over names", below: ["Sources/Upload/", "Sources/S3/", "Sources/tetherline/"],
            home: [],
            reason: "which name a photo gets is decided by NameWalk alone",
            isBroken: { $0.contains(/SafeName\.(numbered|marked)/) }),
        UploadRule(
            name: "a photo read by hand", below: ["Sources/Upload/", "Sources/S3/"],
            home: [
                "Sources/Upload/LocalPhoto.swift",
                // What lies at a server, and in a bucket.
                "Sources/Upload/Servers/FolderServer.swift", "Sources/Upload/S3/S3Look.swift",
            ],
            reason: "LocalPhoto reads photos of this machine, and checks that they are what was staged",
            isBroken: { $0.contains(/SHA256\(\)/) }),
        UploadRule(
            name: "a queue that knows others", below: ["Sources/Bridge/Jobs/DestinationQueue"], home: [],
            reason: "what several destinations share is the scheduler's",
            isBroken: { $0.contains(/queues[\[.]|\[DestinationID|isPaused|isDraining/) }),
        UploadRule(
            name: "a step made by the driver", below: ["Sources/Upload/"], home: [],
            reason: "the scheduler decides what becomes of a job, and the uploader writes it",
            isBroken: { $0.contains(/JobChange\(/) }),
        UploadRule(
            name: "a sentence where something fails", below: ["Sources/Bridge/Jobs/", "Sources/Upload/"],
            home: [
                "Sources/Upload/Gallery/GalleryError.swift", "Sources/Bridge/Jobs/SpoolFileFailure.swift",
            ],
            reason: "failures are codes; what is said of them stands in one file for each vocabulary",
            readsTexts: true,
            isBroken: {
                guard
                    let call = $0.firstMatch(
                        of:
                            /\.(retryable|permanent|destinationFailed|notThere|cut|placeRefused|held)\(|\blost\(|localFile/
                    )
                else { return false }
                return saysSomething($0[call.range.lowerBound...])
            }),
    ]

    /// Whether a text of the code has words of its own, beside what is put into it.
    private static func saysSomething(_ code: Substring) -> Bool {
        var isText = false
        var depth = 0
        var last: Character = " "
        for character in code {
            if depth > 0 {
                // A text inside what is put in is what is put in.
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if character == "\"" {
                isText.toggle()
            } else if isText, character == "(", last == "\\" {
                depth = 1
            } else if isText, character.isLetter {
                return true
            }
            last = character
        }
        return false
    }

    private static func rules(for path: String) -> [UploadRule] {
        all.filter { rule in rule.below.contains { path.hasPrefix($0) } && !rule.home.contains(path) }
    }

    static func holds(_ path: String) -> Bool { !rules(for: path).isEmpty }

    static func breaches(of source: String, at path: String) -> [String] {
        let code = SwiftText(source).lines
        let texts = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return rules(for: path).flatMap { rule in
            (rule.readsTexts ? texts : code).enumerated()
                .filter { rule.isBroken($0.element) && !code[$0.offset].allSatisfy(\.isWhitespace) }
                .map { "\(path):\($0.offset + 1): \(rule.name): \(rule.reason)" }
        }
    }
}
