/// Which cameras are there, from what is heard of them. It opens nothing and knows no clock.
///
/// Announcements are neither authenticated nor rare: every one is held against the address that it came from, and
/// everything kept has a limit. A camera is one entry for each ``Identity``, and of each entry this is true:
///
/// - *awaited*: heard of, and its description is being asked for. Left when the description is there, cannot be had, or
///   has taken ``Sightings/patience``; then it is told as found.
/// - *told*: listed. Left when the last of its services has expired; then it is told as gone.
package struct Sightings {
    /// Who a camera says it is.
    package enum Identity: Hashable, Sendable {
        /// The `UDN` of its description.
        case device(String)
        /// An instance of `_ptp._tcp`. What has the same name in another service of mDNS is the same camera.
        case instance(DNSName)
        /// It says nothing by which it could be known at another address.
        case unnamed(CameraAddress)
    }

    /// An entry: an identity, and the address where two cameras claim the same identity.
    package struct Key: Hashable, Sendable {
        package let identity: Identity
        package internal(set) var only: CameraAddress?
    }

    package enum Action: Equatable, Sendable {
        case found(FoundCamera)
        case changed(FoundCamera)
        case gone(FoundCamera)
        /// Fetch its description, and tell ``described(_:_:at:)``.
        case fetch(DescriptionRequest)
        /// Ask by mDNS, on every interface.
        case ask(DNSMessage.Question)
        case remark(String)
    }

    package struct DescriptionRequest: Equatable, Sendable {
        package let key: Key
        package let url: String
        package let interface: String
    }

    /// Where a packet came from.
    package struct Sender: Equatable, Sendable {
        package let address: CameraAddress
        package let port: UInt16
        package let interface: String

        package init(address: CameraAddress, port: UInt16, interface: String) {
            self.address = address
            self.port = port
            self.interface = interface
        }
    }

    struct Entry {
        var camera: FoundCamera
        /// When it was heard last on its interface. In a network that two interfaces lead to it is heard on both.
        var heardThere = Duration.zero
        /// Until when each service holds.
        var until: [CameraService: Duration] = [:]
        let firstHeard: Duration
        var isTold = false
        /// The place of its description, until that was read from there.
        var wanted: DescriptionAddress?
        var isBeingFetched = false
        /// After a failure it is not asked for again before this.
        var notBefore = Duration.zero
        var isDescribed = false
        /// The address that it had before: heard from there again soon, it is two cameras.
        var former: CameraAddress?
        var formerUntil = Duration.zero
        /// Time has passed between two of its announcements.
        var isHeardAgain = false
        /// When mDNS is asked for it again: "at 80% of the record lifetime", and later once more.
        var refreshes: [Duration] = []
    }

    var entries: [Key: Entry] = [:]
    private var contested: Set<Identity> = []
    private var remarks = RemarkLimit()
    /// Until when no instance is asked for: many announcements at once are answered by one question each.
    private var resolving: [DNSName: Duration] = [:]

    /// A room full of photographers has fewer cameras.
    package static let most = 64
    /// A camera has one identity in each protocol. A single liar cannot fill the list.
    package static let mostOfOneAddress = 4
    package static let mostFetches = 4
    /// How long an announcement waits for its description before it is told without.
    package static let patience = Duration.milliseconds(2500)
    /// "the record … deleted one second later": a camera that says good-bye and is back at once never left.
    static let farewell = Duration.seconds(1)
    /// Two cameras with one identity both answer a search, which is sent each minute.
    static let memoryOfMove = Duration.seconds(150)
    /// What answers no search for so long, and another one at its address does, is not there any more.
    static let patienceWithFormer = Duration.seconds(150)
    static let patienceWithInterface = Duration.seconds(150)
    static let timeBetweenAnnouncements = Duration.milliseconds(500)
    /// A search is sent each minute, at least.
    static let patienceWithCrowd = Duration.seconds(90)
    static let pauseAfterFailure = Duration.seconds(30)
    static let pauseOfQuestions = Duration.seconds(1)

    package init() {}

    /// As they were found.
    package var cameras: [FoundCamera] {
        entries.values.filter(\.isTold).sorted { $0.firstHeard < $1.firstHeard }.map(\.camera)
    }

    // MARK: What is heard

    package mutating func heard(_ message: SSDPMessage, from sender: Sender, at now: Duration) -> [Action] {
        if message.kind == .search, message.target == CameraService.canonCompactsSearch {
            return remark(
                "\(sender.address) is a Canon in the mode for smartphones, which speaks no PTP/IP; choose 'Remote control (EOS Utility)' in its Wi-Fi menu, if it has that",
                at: now)
        }
        guard let service = CameraService(rawValue: message.target), service.domain == nil else { return [] }
        let identity = message.device.map(Identity.device) ?? .unnamed(sender.address)
        switch message.kind {
        case .search, .other: return []
        case .byebye: return farewell(identity, service, from: sender, at: now)
        case .alive: break
        }
        var place: DescriptionAddress?
        if let location = message.location {
            do throws(DescriptionAddress.Refused) {
                place = try DescriptionAddress(location, announcedBy: sender.address)
            } catch {
                return remark("an announcement from \(sender.address) is not believed: \(error)", at: now)
            }
        }
        return announced(
            Announcement(
                identity: identity, service: service, port: FoundCamera.usualPort, instance: nil,
                place: place, lifetime: .seconds(message.maximumAge)), from: sender, at: now)
    }

    package mutating func heard(_ message: DNSMessage, from sender: Sender, at now: Duration) -> [Action] {
        // "MUST silently ignore any … responses they receive where the source UDP port is not 5353".
        guard message.isResponse, sender.port == Self.mdnsPort else { return [] }
        var actions: [Action] = []
        var placed: Set<DNSName> = []
        for record in message.records {
            guard case .service(let host, let port) = record.data, let instance = Instance(record.name)
            else { continue }
            placed.insert(record.name)
            actions += located(record, instance, at: host, port, message, from: sender, at: now)
        }
        for record in message.records {
            guard case .pointer(let name) = record.data, !placed.contains(name),
                let instance = Instance(name), record.name == instance.service.domain
            else { continue }
            if record.timeToLive == 0 {
                actions += farewell(instance.identity, instance.service, from: sender, at: now)
            } else if !isKnown(instance) {
                actions += resolve(name, at: now)
            }
        }
        return actions
    }

    /// What a name in one of the services of mDNS says.
    private struct Instance {
        let service: CameraService
        let identity: Identity
        let text: String

        init?(_ name: DNSName) {
            for service in CameraService.browsed {
                guard let labels = service.domain.flatMap(name.labels(in:)),
                    let known = DNSName(labels: labels + CameraService.ptpDomain.labels)
                else { continue }
                self.service = service
                identity = .instance(known)
                text = labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
                return
            }
            return nil
        }
    }

    package static let mdnsPort: UInt16 = 5353

    private mutating func located(
        _ record: DNSMessage.Record, _ instance: Instance, at host: DNSName, _ port: UInt16,
        _ message: DNSMessage, from sender: Sender, at now: Duration
    ) -> [Action] {
        if record.timeToLive == 0 {
            return farewell(instance.identity, instance.service, from: sender, at: now)
        }
        let addresses = message.records.compactMap { other -> [UInt8]? in
            guard other.name == host, case .address(let address) = other.data else { return nil }
            return address
        }
        guard addresses.isEmpty || addresses.contains(sender.address.bytes), port != 0 else {
            let said = addresses.first.flatMap(CameraAddress.init(bytes:)).map { "\($0)" } ?? "nowhere"
            return remark(
                "an announcement from \(sender.address) is not believed: it says that the camera is at \(said)",
                at: now)
        }
        return announced(
            Announcement(
                identity: instance.identity, service: instance.service, port: port, instance: instance.text,
                place: nil,
                lifetime: .seconds(min(Int(record.timeToLive), SSDPMessage.longestAge))), from: sender,
            at: now)
    }

    private mutating func resolve(_ name: DNSName, at now: Duration) -> [Action] {
        resolving = resolving.filter { $0.value > now }
        guard resolving[name] == nil, resolving.count < Self.most else { return [] }
        resolving[name] = now + Self.pauseOfQuestions
        return [.ask(DNSMessage.Question(name, DNSMessage.serviceType))]
    }

    private func isKnown(_ instance: Instance) -> Bool {
        entries.contains { $0.key.identity == instance.identity && $0.value.until[instance.service] != nil }
    }

    /// What could not be read at all.
    package mutating func unreadable(_ why: String, from sender: Sender, at now: Duration) -> [Action] {
        remark("\(sender.address): \(why)", at: now)
    }

    mutating func remark(_ text: String, at now: Duration) -> [Action] {
        remarks.passes(text, at: now).map { [.remark($0)] } ?? []
    }

    // MARK: What follows

    struct Announcement {
        let identity: Identity
        let service: CameraService
        let port: UInt16
        let instance: String?
        let place: DescriptionAddress?
        let lifetime: Duration
    }

    private mutating func announced(
        _ news: Announcement, from sender: Sender, at now: Duration
    ) -> [Action] {
        let key = self.key(for: news.identity, from: sender.address, at: now)
        doubt(othersThan: key, at: sender.address, at: now)
        guard var entry = entries[key] else { return begin(key, news, from: sender, at: now) }
        let before = entry.camera
        if entry.camera.address != sender.address {
            entry.former = entry.camera.address
            entry.formerUntil = now + Self.memoryOfMove
            entry.camera.address = sender.address
            entry.camera.interface = sender.interface
        } else if now - entry.heardThere > Self.patienceWithInterface {
            entry.camera.interface = sender.interface
        }
        if entry.camera.interface == sender.interface { entry.heardThere = now }
        entry.renew(news, at: now)
        if before.address != sender.address || !entry.isDescribed && entry.wanted == nil {
            entry.wanted = news.place
        }
        entries[key] = entry
        let isChanged = entry.isTold && entry.camera != before
        return (isChanged ? [.changed(entry.camera)] : []) + fetches(at: now)
    }

    /// Two cameras with one identity are kept apart by their addresses; one camera with a new address stays one. It is
    /// two when it is heard from the address that it had left.
    private mutating func key(
        for identity: Identity, from address: CameraAddress, at now: Duration
    ) -> Key {
        let plain = Key(identity: identity)
        if contested.contains(identity) { return Key(identity: identity, only: address) }
        guard var entry = entries[plain], entry.former == address, now < entry.formerUntil,
            contested.count < Self.most
        else { return plain }
        contested.insert(identity)
        // What is being fetched for the two will be told of neither.
        entry.isBeingFetched = false
        entries[plain] = nil
        entries[Key(identity: identity, only: entry.camera.address)] = entry
        return Key(identity: identity, only: address)
    }

    private mutating func begin(
        _ key: Key, _ news: Announcement, from sender: Sender, at now: Duration
    ) -> [Action] {
        guard entries.count < Self.most else {
            return remark(
                "more than \(Self.most) cameras announce themselves; no further one is listed", at: now)
        }
        guard entries.values.count(where: { $0.camera.address == sender.address }) < Self.mostOfOneAddress
        else {
            crowd(at: sender.address, at: now)
            return remark("\(sender.address) announces itself as more cameras than one can be", at: now)
        }
        let id: String
        switch key.identity {
        case .device(let name): id = name
        case .instance(let name): id = name.description
        case .unnamed(let address): id = address.description
        }
        var entry = Entry(
            camera: FoundCamera(
                id: id, address: sender.address, port: news.port, interface: sender.interface, services: []),
            firstHeard: now)
        entry.wanted = news.place
        entry.heardThere = now
        entry.renew(news, at: now)
        entry.isTold = news.place == nil
        entries[key] = entry
        return entry.isTold ? [.found(entry.camera)] : fetches(at: now)
    }
}
