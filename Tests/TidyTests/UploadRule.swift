/// A rule of delivering that stands in one place: what code says that goes by it, and the only files that may say it.
struct UploadRule: Sendable {
    let name: String
    let below: [String]
    let home: Set<String>
    let reason: String
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
    ]

    static func breaches(of text: SwiftText, at path: String) -> [String] {
        all.filter { rule in rule.below.contains { path.hasPrefix($0) } && !rule.home.contains(path) }
            .flatMap { rule in
                text.lines.enumerated().filter { rule.isBroken($0.element) }
                    .map { "\(path):\($0.offset + 1): \(rule.name): \(rule.reason)" }
            }
    }
}
