import Basics
import Bridge
import Posix
import Store
import Synchronization

extension SetupWorker {
    private static let interval = Duration.milliseconds(100)

    /// A bridge runs as 'tetherline run' does, until a photo has arrived everywhere.
    func takePhoto() async throws -> Happening {
        let thread = ThreadExecutor(name: "print")
        defer { thread.shutDown() }
        let news = Mailbox<BridgeNews>()
        let report = RunReport(
            isJSON: false, printer: LinePrinter(executor: thread), audience: { news.post($0) })
        let command = try RunCommand(invocation(["run"]))
        let end = Mutex<String?>(nil)
        let bridge = Task(executorPreference: reactor) { [reactor] in
            do {
                _ = try await RunningBridge.run(command, report, on: reactor)
                end.withLock {
                    $0 = "The bridge has ended by itself: are there run.once or others in the settings?"
                }
            } catch {
                end.withLock { $0 = "\(error)" }
            }
        }
        printOutput(
            "A bridge runs for this photo. It waits \(Human.span(patience)) for each part of its way.")
        let result: Result<TestPhoto.End, any Error>
        do {
            result = .success(try await follow(news, hasEnded: { end.withLock { $0 } }))
        } catch {
            result = .failure(error)
        }
        // As Ctrl-C ends it: in order, so that nothing that has arrived is lost.
        bridge.cancel()
        await bridge.value
        switch try result.get() {
        case .arrived:
            printOutput("The photo has gone the whole way.")
            return .done
        case .failed(let problem): return .failed(problem)
        }
    }

    private func follow(
        _ news: Mailbox<BridgeNews>, hasEnded: () -> String?
    ) async throws -> TestPhoto.End {
        var photo = TestPhoto(at: reactor.now, patience: patience)
        while true {
            let problem = hasEnded()
            for one in news.takeAll() { show(photo.handle(one, at: reactor.now)) }
            if let capture = photo.capture, let history = try home.reader().history(of: capture) {
                show(photo.handle(history.deliveries, at: reactor.now))
            }
            if let problem { photo.ended(problem) }
            photo.look(at: reactor.now)
            if let end = photo.end { return end }
            try await reactor.sleep(until: reactor.now + Self.interval)
        }
    }

    private func show(_ lines: [String]) {
        for line in lines { printOutput(Visible(line).description) }
    }
}
