/// A message of multicast DNS (RFC 6762 §18), as far as a browser of services needs it.
package struct DNSMessage: Equatable, Sendable {
    package struct Question: Hashable, Sendable {
        package let name: DNSName
        package let type: UInt16

        package init(_ name: DNSName, _ type: UInt16) {
            self.name = name
            self.type = type
        }
    }

    package struct Record: Equatable, Sendable {
        package let name: DNSName
        /// Seconds; zero says good-bye (RFC 6762 §10.1).
        package let timeToLive: UInt32
        package let data: Data
    }

    package enum Data: Equatable, Sendable {
        /// `PTR`: an instance of a service.
        case pointer(DNSName)
        /// `SRV` (RFC 2782): where an instance is.
        case service(host: DNSName, port: UInt16)
        /// `A`: four bytes.
        case address([UInt8])
        case other(type: UInt16)
    }

    package let isResponse: Bool
    package let questions: [Question]
    /// The sections "answer" and "additional". What stands under "authority" is what a prober would like to be true
    /// (RFC 6762 §8.2).
    package let records: [Record]

    package static let addressType: UInt16 = 1
    package static let pointerType: UInt16 = 12
    package static let serviceType: UInt16 = 33
    static let internet: UInt16 = 1

    /// "A Multicast DNS packet … MUST NOT exceed 9000 bytes" (RFC 6762 §17).
    package static let largest = 9000
    /// Questions and records. A busy responder sends some dozens.
    package static let mostEntries = 256

    package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = try DNSReader(bytes)
        (isResponse, questions, records) = try reader.message()
    }

    /// "Multicast DNS query messages … ID zero"; answers may go to everyone, so that others learn from them, too.
    package static func query(_ questions: [Question]) -> [UInt8] {
        precondition(questions.count <= mostEntries, "more questions than a message has")
        let header: [UInt8] = [0, 0, 0, 0, UInt8(questions.count >> 8), UInt8(questions.count & 0xFF)]
        return questions.reduce(into: header + [0, 0, 0, 0, 0, 0]) { bytes, question in
            bytes += question.name.encoded
            for number in [question.type, internet] { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        }
    }
}
