/// Where the camera's protocol ends. Above it a camera is a connector and a driver, and a photo an opaque reference: the
/// next make may speak HTTP.
enum Boundary {
    /// Targets, and one folder, that know no camera's protocol.
    static let above = ["Transfer", "Console", "Store", "Bridge", "Upload", "Network", "tetherline"]
    static let itself = "Sources/Camera/Boundary/"

    /// A root says which connector is used; no other file needs to know one.
    static let root = "Sources/tetherline/"
    private static let connectors = [
        "CameraSession", "CameraError", "ObjectHandle", "DeviceInfo", "Peculiarities", "GenericDriver",
    ]
    private static let rootsChoice = ["GenericConnector", "GenericSettings", "GenericTraits"]

    static func holds(_ path: String) -> Bool {
        path.hasPrefix(itself) || above.contains { path.hasPrefix("Sources/\($0)/") }
    }

    /// What a file above the boundary says that only those below may say.
    static func breaches(of text: SwiftText, at path: String) -> [String] {
        guard holds(path) else { return [] }
        let imported = text.imports.contains("PTP") ? ["\(path) imports PTP"] : []
        let forbidden = connectors + (path.hasPrefix(root) ? [] : rootsChoice)
        return imported
            + text.lines.enumerated().flatMap { index, line in
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                return forbidden.filter { words.contains($0[...]) }.map { "\(path):\(index + 1) names \($0)" }
            }
    }

    /// What the manifest lets a target above the boundary import that it must not.
    static func breaches(ofManifest manifest: String) -> [String] {
        above.filter { Architecture.dependencies(of: $0, in: manifest)?.contains("PTP") ?? true }
    }
}
