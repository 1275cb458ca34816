package import Basics

/// How a client wants bodies, by its `Accept-Encoding` (RFC 9110 §12.5.3).
package struct AcceptedCodings: Equatable, Sendable {
    /// Whether gzip is welcome, and no less than the body as it is.
    package let takesGzip: Bool

    /// A browser names five.
    private static let mostCodings = 20

    /// The weights of codings as they are named, in thousandths. What cannot be read counts as not wanted.
    package init(_ headers: [HTTPHeader]) {
        var weights: [String: Int] = [:]
        let entries = headers.lazy.filter { $0.isNamed("Accept-Encoding") }
            .flatMap { $0.value.split(separator: ",") }.prefix(Self.mostCodings)
        for entry in entries {
            let parts = entry.split(separator: ";", omittingEmptySubsequences: false)
                .map(FieldWeight.trimmed)
            let name = parts[0].lowercased()
            guard !name.isEmpty else { continue }
            // "x-gzip" is the same (RFC 9110 §8.4.1.3).
            weights[name == "x-gzip" ? "gzip" : name] = Self.weight(parts.dropFirst())
        }
        // "The asterisk symbol matches any available content coding not explicitly listed."
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        takesGzip = gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    private static func weight(_ parameters: ArraySlice<Substring>) -> Int {
        guard let parameter = parameters.first else { return 1000 }
        guard parameters.count == 1 else { return 0 }
        return FieldWeight.thousandths(parameter) ?? 0
    }
}

/// How much something is wanted, in a field of which the client names several things (RFC 9110 §12.4.2).
package enum FieldWeight {
    /// Without the blanks around it.
    package static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }

    /// "q=0.375" is 375: at most three digits behind the point, and no more than 1. Nil for anything else.
    package static func thousandths(_ parameter: Substring) -> Int? {
        guard parameter.lowercased().hasPrefix("q=") else { return nil }
        let text = parameter.dropFirst(2)
        let sides = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = sides.count > 1 ? sides[1] : ""
        guard sides[0] == "0" || sides[0] == "1", digits.utf8.count <= 3,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let thousandths = Int(sides[0] + digits + String(repeating: "0", count: 3 - digits.utf8.count))
        else { return nil }
        return thousandths <= 1000 ? thousandths : nil
    }
}
