package import Basics
import Glibc
package import Posix

/// Listens and asks on every network, and tells what ``Sightings`` makes of it. It connects to no camera: what it opens
/// are sockets of UDP, and connections to where a camera says its description is.
package actor CameraFinder {
    package enum News: Equatable, Sendable {
        case found(FoundCamera)
        /// Another address, or more that is known of it.
        case changed(FoundCamera)
        case gone(FoundCamera)
        /// The interfaces that are listened on, whenever they are others.
        case listening([String])
        case remark(String)
    }

    private let reactor: Reactor
    private let transport: any HTTPTransport
    private let names: [String]
    private let random: any RandomSource
    private let tell: @Sendable (News) -> Void
    private var sightings = Sightings()
    private var posts: [Int: ListeningPost] = [:]
    private var listening: [Int: [Task<Void, Never>]] = [:]
    private var fetching: [Sightings.Key: Task<Void, Never>] = [:]
    /// The interfaces that are listened on, as they were told.
    private var told: [String] = []
    /// Those of which was said that not everything can be listened to there.
    private var complained: Set<String> = []
    private var nextLook = Duration.zero
    /// When the next turn is, unless something is heard that has to be looked at before.
    private var nextTurn = Duration.zero
    private let sooner = Signal()
    /// For cameras that look for a computer.
    private let host: HostAnswers?
    private var answering = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// From one turn to the next at least.
    private static let pause = Duration.milliseconds(20)
    /// An interface that has come is listened on so soon, and one that could not be listened on is tried again.
    private static let lookInterval = Duration.seconds(2)
    /// After so many datagrams in a row others have their turn.
    private static let mostInARow = 32
    private static let fetchTime = Duration.seconds(3)
    /// Searches for a computer that are being answered at one time.
    private static let mostAnswers = 8

    /// On the interfaces named, or on all that can be used.
    package init(
        _ reactor: Reactor, transport: any HTTPTransport, interfaces names: [String] = [],
        random: any RandomSource, host: HostDescription? = nil, tell: @escaping @Sendable (News) -> Void
    ) {
        self.reactor = reactor
        self.transport = transport
        self.names = names
        self.random = random
        self.tell = tell
        self.host = host.map { HostAnswers($0, reactor) }
    }

    /// Until the task is cancelled, or an interface that was named is not there when it begins.
    package func run() async throws(SystemError) {
        let links = try await RouteNetlink(reactor).links()
        for name in names where !links.contains(where: { $0.name == name }) {
            throw SystemError("looking for cameras", ENODEV, on: name)
        }
        while !Task.isCancelled {
            do throws(SystemError) {
                try await turn()
            } catch {
                // The kernel's answer was waited for when it was enough.
                if Task.isCancelled { break }
                await end()
                // Those that are still there are found anew by the finder that comes next.
                for camera in sightings.cameras { tell(.gone(camera)) }
                throw error
            }
            let deadlines = [sightings.nextDeadline] + posts.values.map(\.nextQuestion)
            nextTurn = max(
                reactor.now + Self.pause, deadlines.compactMap { $0 }.reduce(nextLook) { min($0, $1) })
            await sooner.wait(until: nextTurn, of: reactor)
        }
        await end()
    }

    private func turn() async throws(SystemError) {
        if nextLook <= reactor.now {
            nextLook = reactor.now + Self.lookInterval
            attend(to: try await RouteNetlink(reactor).links())
        }
        for index in posts.keys.sorted() { posts[index]?.ask(at: reactor.now) }
        carryOut(sightings.passed(to: reactor.now))
    }

    private func end() async {
        for index in posts.keys { leave(index) }
        let last = Array(fetching.values)
        for task in last { task.cancel() }
        for task in last { await task.value }
        await host?.end()
    }

    // MARK: Interfaces

    private func attend(to links: [NetworkLink]) {
        let wanted = links.filter { names.isEmpty ? ListeningPost.canUse($0) : names.contains($0.name) }
        for (index, post) in posts
        where !wanted.contains(where: { $0.index == index && $0.name == post.name }) {
            leave(index)
        }
        complained.formIntersection(wanted.map(\.name))
        for link in wanted {
            var post = posts[link.index] ?? ListeningPost(link, random, at: reactor.now)
            let (opened, failures) = post.open(reactor)
            if let failure = failures.first {
                // Once is enough to say.
                if complained.insert(link.name).inserted { tell(.remark("\(failure)")) }
            } else {
                complained.remove(link.name)
            }
            guard post.isListening else { continue }
            posts[link.index] = post
            listening[link.index, default: []] += opened.map { ear in
                Task(executorPreference: reactor) { await self.listen(ear, on: link.index) }
            }
        }
        let listenedOn = posts.values.map(\.name).sorted()
        if listenedOn != told { tell(.listening(listenedOn)) }
        told = listenedOn
    }

    private func leave(_ index: Int) {
        for task in listening.removeValue(forKey: index) ?? [] { task.cancel() }
        posts[index] = nil
    }

    // MARK: What is heard

    private func listen(_ ear: ListeningPost.Ear, on index: Int) async {
        var inARow = 0
        while !Task.isCancelled {
            do throws(SystemError) {
                if let datagram = try ear.socket.receive() {
                    heard(datagram, ear)
                    inARow += 1
                    if inARow % Self.mostInARow == 0 { await Task.yield() }
                    continue
                }
            } catch {
                // Its interface is going: when it is back it is listened on anew.
                if posts[index]?.name == ear.interface { leave(index) }
                return
            }
            guard await ear.socket.waitReadable() else { return }
        }
    }

    private func heard(_ datagram: DatagramSocket.Datagram, _ ear: ListeningPost.Ear) {
        guard let address = CameraAddress(bytes: datagram.sender.address) else { return }
        let sender = Sightings.Sender(
            address: address, port: datagram.sender.port, interface: ear.interface)
        let now = reactor.now
        switch ear.speaks {
        case .mdns:
            do throws(DNSMessage.Malformed) {
                carryOut(sightings.heard(try DNSMessage(datagram.bytes), from: sender, at: now))
            } catch {
                carryOut(sightings.unreadable("\(error)", from: sender, at: now))
            }
        case .ssdp:
            do throws(SSDPMessage.Malformed) {
                let message = try SSDPMessage(datagram.bytes)
                if message.kind == .search { answer(message, to: datagram.sender, by: ear) }
                carryOut(sightings.heard(message, from: sender, at: now))
            } catch {
                carryOut(sightings.unreadable("\(error)", from: sender, at: now))
            }
        }
        hurry()
    }

    /// What was heard may have to be looked at before the next turn.
    private func hurry() {
        guard let deadline = sightings.nextDeadline, deadline < nextTurn else { return }
        nextTurn = deadline
        sooner.fire()
    }

    /// "the camera M-SEARCHes upnp:rootdevice … host must answer".
    private func answer(_ search: SSDPMessage, to sender: IPEndpoint, by ear: ListeningPost.Ear) {
        guard let host, search.target == HostDescription.searched, answering < Self.mostAnswers else {
            return
        }
        answering += 1
        Task(executorPreference: reactor) { await self.answer(sender, by: ear, host) }
    }

    private func answer(_ sender: IPEndpoint, by ear: ListeningPost.Ear, _ host: HostAnswers) async {
        let answer = await host.answer(to: sender)
        answering -= 1
        let bytes: [UInt8]
        switch answer {
        case .none: return
        case .impossible(let error):
            let text = "\(sender) looks for a computer and is not answered: \(error)"
            return carryOut(sightings.remark(text, at: reactor.now))
        case .said(let said): bytes = said
        }
        do throws(SystemError) {
            try ear.socket.send(bytes, to: sender)
        } catch {
            // Its interface is going; the camera asks again.
            return
        }
    }

    private func carryOut(_ actions: [Sightings.Action]) {
        for action in actions {
            switch action {
            case .found(let camera): tell(.found(camera))
            case .changed(let camera): tell(.changed(camera))
            case .gone(let camera): tell(.gone(camera))
            case .remark(let text): tell(.remark(text))
            case .ask(let question): for post in posts.values { post.send([question]) }
            case .fetch(let request):
                fetching[request.key] = Task(executorPreference: reactor) { await self.fetch(request) }
            }
        }
    }

    // MARK: Descriptions

    private func fetch(_ request: Sightings.DescriptionRequest) async {
        let described = await description(request)
        fetching[request.key] = nil
        if Task.isCancelled { return }
        carryOut(sightings.described(request, described, at: reactor.now))
        hurry()
    }

    /// No redirects, no more than a description's size, and all of it within ``fetchTime``.
    private func description(_ request: Sightings.DescriptionRequest) async -> Sightings.Described {
        var limits = HTTPLimits()
        limits.connect = Self.fetchTime
        limits.noProgress = Self.fetchTime
        let asked = HTTPRequest(
            "GET", request.url, answerLimit: DeviceDescription.largest, redirects: 0, limits: limits,
            interface: request.interface)
        let (reactor, transport) = (reactor, transport)
        return await withTaskGroup(of: Sightings.Described?.self) { group in
            group.addTask(executorPreference: reactor) { await Self.read(asked, by: transport) }
            group.addTask(executorPreference: reactor) {
                do throws(CancellationError) {
                    try await reactor.sleep(until: reactor.now + Self.fetchTime)
                } catch {
                    return nil
                }
                return .failed("no description within \(Self.fetchTime)")
            }
            defer { group.cancelAll() }
            return await group.next().flatMap { $0 } ?? .failed("it was taken back")
        }
    }

    private static func read(
        _ request: HTTPRequest, by transport: any HTTPTransport
    ) async -> Sightings.Described {
        do throws(HTTPFailure) {
            let response = try await transport.send(request)
            guard response.status == 200 else { return .failed("\(request.url) answers \(response.status)") }
            do throws(DeviceDescription.Malformed) {
                return .read(try DeviceDescription(response.body))
            } catch {
                return .failed("\(error)")
            }
        } catch {
            return .failed("\(error)")
        }
    }
}
