package import PTP

/// One photo as it lies on a card, for a test to hold against what has arrived.
package struct CardPhoto: Sendable {
    /// Until the next renumbering.
    package let handle: ObjectHandle
    package let storage: StorageID
    package let name: String
    package let size: UInt64
    /// The same for as long as the photo exists.
    package let uniqueID: UInt128
    let content: @Sendable () throws -> any ObjectContent

    /// What a camera with no faults on the way gives for it.
    package func bytes() throws -> [UInt8] {
        let content = try content()
        return try content.bytes(0..<content.length)
    }

    package func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
        try content().bytes(range)
    }
}
