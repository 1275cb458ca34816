package import Basics

extension StatusText {
    /// What failed lately, each with what to do about it: the newest first.
    package static func failures(
        _ status: JSONValue, localOffset: @escaping (Timestamp) -> Int64
    ) -> [[TextLine]] {
        let text = StatusText(status: status, localOffset: localOffset)
        return (status["failures"]?.array ?? []).compactMap { failure in
            guard let reason = failure["reason"]?.string, let place = failure["place"]?.string else {
                return nil
            }
            let at = text.moment(failure["at"]).map { "\(text.wall($0)) " } ?? ""
            let photo = failure["photo"]?.string.map { "\($0) at " } ?? ""
            let said = TextLine(
                label: "failed", text: Visible("\(at)\(photo)\(place): \(reason)").description, tone: .bad)
            guard let advice = failure["advice"]?.string, !advice.isEmpty,
                failure["needsOperator"]?.bool == true
            else { return [said] }
            return [
                said, TextLine(label: "", text: Visible("to do: \(advice)").description, tone: .warning),
            ]
        }
    }

    /// The time of day at which the status was so: `20:14:03`.
    package static func clock(_ status: JSONValue, localOffset: (Timestamp) -> Int64) -> String? {
        guard let at = status["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }) else { return nil }
        let local = CivilTime.rfc3339(milliseconds: (at + .seconds(localOffset(at))).milliseconds)
        return String(local.dropFirst(11).prefix(8))
    }
}

extension StatusText {
    /// All of it in a line, for a log: how the bridge is, the deliveries, and what stands still.
    package static func summary(
        _ status: JSONValue, localOffset: @escaping (Timestamp) -> Int64
    ) -> String {
        let lines = lines(status, localOffset: localOffset)
        var parts = lines.prefix(1).map(\.text)
        parts += lines.filter { $0.label == "deliveries" }.map(\.text)
        // A camera that works says something new with each photo.
        parts += lines.filter { $0.label == "camera" && $0.tone != .good }.map(\.text)
        parts += lines.dropFirst().filter { $0.tone == .bad && $0.label != "camera" }.map(\.text)
        return parts.joined(separator: "; ")
    }
}
