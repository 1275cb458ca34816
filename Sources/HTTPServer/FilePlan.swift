import Basics

/// How much of a file is answered, decided from the request's conditions and its range (RFC 9110 §13 and §14).
package struct FilePlan: Equatable {
    package enum Answer: Equatable {
        case whole
        case part(Range<UInt64>)
        case notModified
        case unsatisfiable
    }

    package let answer: Answer

    package init(_ file: ServedFile, _ request: Request) {
        answer = Self.isUnmodified(file, request) ? .notModified : Self.range(of: file, request)
    }

    // MARK: Conditions

    /// "A recipient MUST ignore If-Modified-Since if the request contains an If-None-Match header field" (§13.1.3).
    private static func isUnmodified(_ file: ServedFile, _ request: Request) -> Bool {
        if request["If-None-Match"] != nil { return request.knows(file.etag) }
        guard let since = request["If-Modified-Since"].flatMap({ Timestamp(httpDate: $0) }),
            let modified = file.modified
        else { return false }
        // A date has no parts of a second.
        return modified.seconds <= since.seconds
    }

    // MARK: Ranges

    private static func range(of file: ServedFile, _ request: Request) -> Answer {
        guard request.method == "GET", let text = request["Range"], appliesRange(to: file, request)
        else {
            return .whole
        }
        guard text.lowercased().hasPrefix("bytes=") else { return .whole }
        let specifier = text.dropFirst(6).filter { $0 != " " && $0 != "\t" }
        // Several ranges would have to be answered as multipart; "a server MAY ignore the Range header field" (§14.2).
        guard !specifier.contains(","), let dash = specifier.firstIndex(of: "-") else { return .whole }
        let first = specifier[..<dash]
        let last = specifier[specifier.index(after: dash)...]
        guard isNumber(first) || isNumber(last), first.isEmpty || isNumber(first),
            last.isEmpty || isNumber(last)
        else { return .whole }
        // A number that does not fit lies behind any file.
        let end = last.isEmpty ? UInt64.max : UInt64(last) ?? .max
        if first.isEmpty {
            if end == 0 || file.size == 0 { return .unsatisfiable }
            return .part(file.size - min(end, file.size)..<file.size)
        }
        let start = UInt64(first) ?? .max
        if start > end { return .whole }
        guard start < file.size else { return .unsatisfiable }
        return .part(start..<min(end, file.size - 1) + 1)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// If-Range wants "the strong comparison function" (§13.1.5), or the exact date.
    private static func appliesRange(to file: ServedFile, _ request: Request) -> Bool {
        guard let condition = request["If-Range"] else { return true }
        if condition.hasPrefix("\"") { return condition == file.etag }
        guard let date = Timestamp(httpDate: condition), let modified = file.modified else { return false }
        return date.seconds == modified.seconds
    }
}
