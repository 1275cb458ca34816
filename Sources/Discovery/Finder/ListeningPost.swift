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

    /// What each socket hears.
    private enum Role: CaseIterable {
        case mdns
        case ssdp
        /// To what is asked here by SSDP. They come to a socket of its own, so that no other program on port 1900 takes them.
        case answers
    }

    let name: String
    private let index: Int
    private var ears: [Role: Ear] = [:]
    private var mdns: QuerySchedule
    private var ssdp: QuerySchedule

    static let mdnsGroup = IPEndpoint(address: [224, 0, 0, 251], port: Sightings.mdnsPort)
    static let ssdpGroup = IPEndpoint(address: [239, 255, 255, 250], port: 1900)
    /// "SHOULD be sent with IP TTL set to 255" (RFC 6762 §11).
    private static let mdnsHops: Int32 = 255
    /// "TTL … SHOULD default to 2" (UPnP Device Architecture 1.1 §1).
    private static let ssdpHops: Int32 = 2

    /// With no socket yet.
    init(_ link: NetworkLink, _ random: any RandomSource, at now: Duration) {
        (name, index) = (link.name, link.index)
        var randomness = Randomness(random)
        let delay = Duration.milliseconds(Int64.random(in: QuerySchedule.firstDelay, using: &randomness))
        mdns = QuerySchedule(first: now + delay, longest: QuerySchedule.longestOfMDNS)
        ssdp = QuerySchedule(first: now, longest: QuerySchedule.longestOfSSDP)
    }

    /// Whether anything is heard here. One socket is enough: another program may hold a port for itself.
    var isListening: Bool { !ears.isEmpty }

    /// Opens those sockets that are not open, and says what stood in the way of the others.
    mutating func open(_ reactor: Reactor) -> (opened: [Ear], failures: [SystemError]) {
        var opened: [Ear] = []
        var failures: [SystemError] = []
        for role in Role.allCases where ears[role] == nil {
            do throws(SystemError) {
                let ear = try self.ear(role, reactor)
                ears[role] = ear
                opened.append(ear)
            } catch {
                failures.append(error)
            }
        }
        return (opened, failures)
    }

    private func ear(_ role: Role, _ reactor: Reactor) throws(SystemError) -> Ear {
        let (group, hops, speech): (IPEndpoint?, Int32, Speech) =
            switch role {
            case .mdns: (Self.mdnsGroup, Self.mdnsHops, .mdns)
            case .ssdp: (Self.ssdpGroup, Self.ssdpHops, .ssdp)
            case .answers: (nil, Self.ssdpHops, .ssdp)
            }
        let socket = try DatagramSocket(on: name, index: index, group: group, hops: hops, reactor)
        return Ear(socket: socket, speaks: speech, interface: name)
    }

    /// `IFF_UP`, `IFF_MULTICAST`, a carrier, and not the machine itself.
    static func canUse(_ link: NetworkLink) -> Bool {
        link.flags & 0x1 != 0 && link.flags & 0x1000 != 0 && link.flags & 0x8 == 0 && link.hasCarrier != false
    }

    /// When is asked here next; nothing where there is no socket to ask by.
    var nextQuestion: Duration? {
        [ears[.mdns].map { _ in mdns.next }, ears[.answers].map { _ in ssdp.next }].compactMap { $0 }.min()
    }

    mutating func ask(at now: Duration) {
        if ears[.mdns] != nil, mdns.isDue(at: now) {
            let questions = CameraService.browsed.compactMap(\.domain)
                .map { DNSMessage.Question($0, DNSMessage.pointerType) }
            if !send(questions) { mdns.beginAgain(at: now) }
        }
        guard let ear = ears[.answers], ssdp.isDue(at: now) else { return }
        let sent = CameraService.searched.map {
            send(SSDPMessage.search(for: $0.rawValue), to: Self.ssdpGroup, by: ear)
        }
        if sent.contains(false) { ssdp.beginAgain(at: now) }
    }

    @discardableResult
    func send(_ questions: [DNSMessage.Question]) -> Bool {
        guard let ear = ears[.mdns] else { return true }
        return send(DNSMessage.query(questions), to: Self.mdnsGroup, by: ear)
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
