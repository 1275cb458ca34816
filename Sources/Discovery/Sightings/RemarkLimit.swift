/// How much is said of what is not believed: a flood of lies is no flood of lines.
struct RemarkLimit {
    private var recent: [String] = []
    private var windowEnd = Duration.zero
    private var said = 0
    private var leftOut = 0

    static let most = 5
    static let window = Duration.seconds(10)
    /// What was said a little while ago is not said again.
    static let remembered = 32
    static let longest = 400

    /// The remark as it is to be said, if it is.
    mutating func passes(_ text: String, at now: Duration) -> String? {
        let text = String(text.prefix(Self.longest))
        if recent.contains(text) { return nil }
        if now >= windowEnd {
            windowEnd = now + Self.window
            said = 0
        }
        guard said < Self.most else {
            leftOut += 1
            return nil
        }
        said += 1
        recent.append(text)
        if recent.count > Self.remembered { recent.removeFirst() }
        defer { leftOut = 0 }
        return leftOut == 0 ? text : "\(text) (\(leftOut) more remarks were left out)"
    }
}
