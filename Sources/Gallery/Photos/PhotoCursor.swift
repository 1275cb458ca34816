package import Basics

/// A photo's place on the page, which is in order of when photos were taken; of one moment, the one that came later is first.
package struct PhotoCursor: Equatable, Comparable, Sendable {
    package let moment: Timestamp
    package let sequence: Int64

    package init(_ moment: Timestamp, _ sequence: Int64) {
        self.moment = moment
        self.sequence = sequence
    }

    /// As a list is continued behind it: "1795287543120_57".
    package var text: String { "\(moment.milliseconds)_\(sequence)" }

    /// Nothing for what was not written here.
    package init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard text.utf8.count <= 40, parts.count == 2, let moment = Int64(parts[0]),
            let sequence = Int64(parts[1]), sequence > 0, Timestamp.writable.contains(moment)
        else { return nil }
        self.init(Timestamp(milliseconds: moment), sequence)
        guard self.text == text else { return nil }
    }

    package static func < (left: PhotoCursor, right: PhotoCursor) -> Bool {
        (left.moment, left.sequence) < (right.moment, right.sequence)
    }
}
