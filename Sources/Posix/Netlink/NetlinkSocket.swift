import CLinux
import Glibc

/// A netlink socket: one question and its answers, or news of the groups it is subscribed to.
struct NetlinkSocket: ~Copyable {
    private let descriptor: OwnedDescriptor
    private let reactor: Reactor

    /// `NETLINK_ROUTE`, `NETLINK_GENERIC`
    enum Family: Int32 {
        case route = 0
        case generic = 16
    }

    /// The kernel's own dumps come in pieces of 32 KiB at most.
    static let largestDatagram = 1 << 16
    /// A machine with more interfaces than this is a router of a provider.
    static let mostAnswers = 16_384

    init(_ family: Family, groups: UInt32 = 0, _ reactor: Reactor) throws(SystemError) {
        self.reactor = reactor
        descriptor = OwnedDescriptor(
            owning: try check("socket(AF_NETLINK)", on: "the kernel") { tl_netlink(family.rawValue, groups) })
    }

    func send(_ bytes: [UInt8]) throws(SystemError) {
        try check("asking over netlink", on: "the kernel") {
            Glibc.send(descriptor.number, bytes, bytes.count, 0)
        }
    }

    /// What came to a question: its answers, in order. The kernel's refusal is an error with its number.
    func ask(
        _ request: [UInt8], sequence: UInt32, until deadline: Duration
    ) async throws(SystemError) -> [NetlinkMessage] {
        try send(request)
        var answers: [NetlinkMessage] = []
        while true {
            let datagram = try await receive(until: deadline)
            for message in try Self.messages(in: datagram) where message.sequence == sequence {
                switch message.type {
                case NetlinkMessage.error:
                    let number = message.body.count >= 4 ? message.body.number(at: 0, Int32.self) : -EPROTO
                    if number == 0 { return answers }
                    throw SystemError(
                        "asking over netlink", number == .min ? EPROTO : -number, on: "the kernel")
                case NetlinkMessage.done:
                    return answers
                default:
                    answers.append(message)
                    guard answers.count <= Self.mostAnswers else {
                        throw SystemError("asking over netlink", E2BIG, on: "the kernel")
                    }
                    // One answer that is not part of a list is the whole of it.
                    if message.flags & 0x2 == 0 { return answers }
                }
            }
        }
    }

    private static func messages(in datagram: [UInt8]) throws(SystemError) -> [NetlinkMessage] {
        do throws(NetlinkMessage.Malformed) {
            return try NetlinkMessage.all(in: datagram)
        } catch {
            throw SystemError("reading netlink", EPROTO, on: "the kernel")
        }
    }

    /// The next datagram of the kernel's.
    func receive(until deadline: Duration?) async throws(SystemError) -> [UInt8] {
        while true {
            if let datagram = try receiveNow() { return datagram }
            switch await reactor.waitReadable(descriptor.number, until: deadline) {
            case .ready: continue
            case .deadline: throw SystemError("waiting for netlink", ETIMEDOUT, on: "the kernel")
            case .closed, .cancelled: throw SystemError("waiting for netlink", ECANCELED, on: "the kernel")
            }
        }
    }

    /// Nothing when there is none. `ENOBUFS` when the kernel had more to say than fitted.
    func receiveNow() throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.largestDatagram)
        var sender: UInt32 = 0
        while true {
            let length: Int
            do throws(SystemError) {
                length = try check("reading netlink", on: "the kernel") {
                    tl_netlink_receive(descriptor.number, &bytes, bytes.count, &sender)
                }
            } catch {
                if error.number == EAGAIN { return nil }
                throw error
            }
            // Every process on the machine may send to a netlink socket.
            guard sender == 0 else { continue }
            guard length <= bytes.count else {
                throw SystemError("reading netlink", ENOBUFS, on: "the kernel")
            }
            return Array(bytes.prefix(length))
        }
    }
}
