import Glibc

/// Bytes of real cameras, which stay out of the repository: the folder is named by the environment.
public enum RealTraffic {
    public static let folder = getenv("TETHERLINE_CAPTURES").map { String(cString: $0) }
    public static let reason = "TETHERLINE_CAPTURES does not name the folder with bytes of real cameras"

    public static var isThere: Bool { folder != nil }

    public static func path(_ name: String) -> String { "\(folder ?? "")/\(name)" }

    public static func bytes(_ name: String) throws -> [UInt8] {
        try readFile(path(name))
    }
}

public struct FileProblem: Error {
    public let path: String
    public let number: Int32

    public init(path: String, number: Int32) {
        self.path = path
        self.number = number
    }
}

/// A whole file, as it is.
public func readFile(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw FileProblem(path: path, number: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = fread(&buffer, 1, buffer.count, file)
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}
