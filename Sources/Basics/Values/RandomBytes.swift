extension RandomSource {
    /// So many bytes, unpredictable where the source is the system's.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word = next()
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
        return Array(bytes.prefix(count))
    }
}
