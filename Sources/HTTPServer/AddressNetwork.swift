import Posix

/// An address, or all that begin like it: "192.0.2.7", "10.0.0.0/8", "2001:db8::/32".
package struct AddressNetwork: Hashable, Sendable, CustomStringConvertible {
    /// Why a text is none, as the end of a sentence.
    package struct Unreadable: Error, Equatable, CustomStringConvertible, Sendable {
        package let description: String
    }

    package let description: String
    private let address: [UInt8]
    private let bits: Int

    package init(_ text: String) throws(Unreadable) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count <= 2, let address = IPEndpoint(numeric: String(sides[0]), port: 0)?.address else {
            throw Unreadable(
                description:
                    "'\(text)' is no numeric address such as 10.0.0.20, nor a network such as 10.0.0.0/24")
        }
        let most = address.count * 8
        guard let bits = sides.count == 2 ? Self.number(sides[1]) : most, bits <= most else {
            throw Unreadable(description: "'\(text)' has to have a number from 0 to \(most) behind the slash")
        }
        let first = Self.masked(address, bits)
        guard first == address else {
            let network = IPEndpoint(address: first, port: 0).host
            throw Unreadable(
                description:
                    "'\(text)' is an address inside of the network \(network)/\(bits); say one of the two")
        }
        self.address = address
        self.bits = bits
        description = text
    }

    /// As a program writes it: no sign, and no zero before it.
    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || !text.hasPrefix("0")
        else { return nil }
        return Int(text)
    }

    private static func masked(_ address: [UInt8], _ bits: Int) -> [UInt8] {
        address.enumerated().map { index, byte in
            let kept = min(8, max(0, bits - index * 8))
            return byte & UInt8(truncatingIfNeeded: 0xFF << (8 - kept))
        }
    }

    /// An IPv4 address is in no network of IPv6, however it is written.
    package func contains(_ text: String) -> Bool {
        guard let other = IPEndpoint(numeric: text, port: 0)?.address, other.count == address.count else {
            return false
        }
        return Self.masked(other, bits) == address
    }
}
