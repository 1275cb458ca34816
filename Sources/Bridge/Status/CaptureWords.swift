extension CaptureState {
    /// What text views say; JSON, the database and `--state` say `rawValue`.
    public var words: String { self == .abandoned ? "given up for now" : rawValue }

    /// The same behind a count, where no reason stands beside it.
    public var advice: String { self == .abandoned ? "\(words) ('tetherline journal' says why)" : words }
}
