public import Bridge
public import PTP

/// Over plain PTP/IP an object's reference is its handle, as the standard writes it: `0x00010003`.
extension PhotoReference {
    public init(_ handle: ObjectHandle) {
        self.init("\(handle)")
    }
}

extension ObjectHandle {
    /// Nothing for what is no handle.
    public init?(_ reference: PhotoReference) {
        let text = reference.text
        let number = text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
        guard let number else { return nil }
        self.init(rawValue: number)
    }
}
