import Basics
import Glibc
import Posix

/// The sockets of one interface, and when is asked there.
struct ListeningPost {
    enum Speech: Sendable {
        case mdns
        case ssdp
    }

    struct Ear: Sendable {
        let socket: DatagramSocket
        let speaks: Speech
        let interface: String
    }

    let name: String
    let ears: [Ear]
    private var mdns: QuerySchedule
    private var ssdp: QuerySchedule

    static let mdnsGroup = IPEndpoint(address: [224, 0, 0, 251], port: Sightings.mdnsPort)
    static let ssdpGroup = IPEndpoint(address: [239, 255, 255, 250], port: 1900)
    /// "SHOULD be sent with IP TTL set to 255" (RFC 6762 §11).
    private static let mdnsHops: Int32 = 255
    /// "TTL … SHOULD default to 2" (UPnP Device Architecture 1.1 §1).
    private static let ssdpHops: Int32 = 2

    /// Answers to a search come to a socket of its own, so that no other program on port 1900 takes them.
    init(
        _ link: NetworkLink, _ reactor: Reactor, _ random: any RandomSource, at now: Duration
    ) throws(SystemError) {
        func ear(_ group: IPEndpoint?, _ hops: Int32, _ speech: Speech) throws(SystemError) -> Ear {
            let socket = try DatagramSocket(
                on: link.name, index: link.index, group: group, hops: hops, reactor)
            return Ear(socket: socket, speaks: speech, interface: link.name)
        }
        name = link.name
        ears = [
            try ear(Self.mdnsGroup, Self.mdnsHops, .mdns), try ear(Self.ssdpGroup, Self.ssdpHops, .ssdp),
            try ear(nil, Self.ssdpHops, .ssdp),
        ]
        var randomness = Randomness(random)
        let delay = Duration.milliseconds(Int64.random(in: QuerySchedule.firstDelay, using: &randomness))
        mdns = QuerySchedule(first: now + delay, longest: QuerySchedule.longestOfMDNS)
        ssdp = QuerySchedule(first: now, longest: QuerySchedule.longestOfSSDP)
    }

    /// One that could not be opened.
    init(deaf link: NetworkLink) {
        name = link.name
        ears = []
        mdns = QuerySchedule(first: .zero, longest: QuerySchedule.longestOfMDNS)
        ssdp = mdns
    }

    /// `IFF_UP`, `IFF_MULTICAST`, a carrier, and not the machine itself.
    static func canUse(_ link: NetworkLink) -> Bool {
        link.flags & 0x1 != 0 && link.flags & 0x1000 != 0 && link.flags & 0x8 == 0 && link.hasCarrier != false
    }

    mutating func ask(at now: Duration) {
        guard ears.count == 3 else { return }
        if mdns.isDue(at: now) {
            let question = DNSMessage.Question(Sightings.service, DNSMessage.pointerType)
            if !send(question) { mdns.beginAgain(at: now) }
        }
        guard ssdp.isDue(at: now) else { return }
        let sent = CameraService.searched.map {
            send(SSDPMessage.search(for: $0.rawValue), to: Self.ssdpGroup, by: ears[2])
        }
        if sent.contains(false) { ssdp.beginAgain(at: now) }
    }

    @discardableResult
    func send(_ question: DNSMessage.Question) -> Bool {
        guard let ear = ears.first else { return true }
        return send(DNSMessage.query([question]), to: Self.mdnsGroup, by: ear)
    }

    /// False where nothing can be sent now: the interface has no address yet, or is full.
    private func send(_ bytes: [UInt8], to group: IPEndpoint, by ear: Ear) -> Bool {
        do throws(SystemError) {
            try ear.socket.send(bytes, to: group)
            return true
        } catch {
            return false
        }
    }
}
