/// What a node is called in logs, metrics and leases: a word that needs no quotes in any of them.
package enum NodeName {
    package static let rule = "1 to 64 of the letters A to Z and a to z, digits, '.', '_', ':' and '-'"
    private static let longest = 64

    package static func isName(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy(isPart)
    }

    /// Of a machine, which may be called anything, and the port that its node listens at.
    package static func of(machine: String, port: UInt16) -> String {
        let end = ":\(port)"
        let fitting = machine.utf8.map { isPart($0) ? $0 : UInt8(ascii: "-") }
        return String(decoding: fitting.prefix(longest - end.utf8.count), as: UTF8.self) + end
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "._:-".utf8.contains(byte)
        }
    }
}
