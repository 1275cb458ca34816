/// An address of IPv4, as every camera of the field has one.
package struct CameraAddress: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 else { return nil }
        self.bytes = bytes
    }

    /// Four numbers in decimal and nothing else: no name, no octal, no hexadecimal.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part in
            part.utf8.allSatisfy { 0x30...0x39 ~= $0 } && (part.count == 1 || part.first != "0")
                ? UInt8(part) : nil
        }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        self.bytes = bytes
    }

    package var description: String { bytes.map(String.init).joined(separator: ".") }
}
