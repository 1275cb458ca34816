import Link
import PTP

extension SimulatedCamera {
    /// The links that stand, in the order in which they came.
    var standing: [GuestLine] { lines.sorted { $0.key < $1.key }.map(\.value) }

    /// Forgets every client, as a camera that was switched off does.
    func forgetClients() {
        for line in standing { line.end(.reset) }
        lines = [:]
        floods = [:]
        machine = Self.machine(greeting, body, settings)
        dataJob = nil
        postponed = nil
        lastRequest = nil
        noticesAfterResponse = []
        answersAlreadyOpen = false
        staleResponse = false
        isPoisoned = false
    }

    /// Lets a client in, now or later or not at all.
    func decide(about request: InitCommandRequest, _ link: Responder.LinkID) {
        log("\(request.name) wants to connect (\(request.guid))")
        switch greeting.admission(of: request, &faults) {
        case .now:
            admit(link)
        case .refused(let reason):
            feed(.refuse(link, reason))
        case .unanswered:
            log("its Init is not answered")
        case .after(let wait):
            log("waiting for a person to press OK")
            later { camera in
                if await camera.pause(wait) { camera.admit(link) }
            }
        }
    }

    /// For bodies that want more than the standard's handshake.
    func hangUpUnlessGreeted() {
        guard let limit = body.greetingLimit else { return }
        let connection = connections
        later { camera in
            guard await camera.pause(limit), camera.connections == connection, camera.machine.isConnected,
                !camera.body.isGreeted
            else { return }
            camera.log("not greeted within \(limit)")
            for line in camera.standing { line.end(.orderly) }
        }
    }

    private func admit(_ link: Responder.LinkID) {
        // The client that holds the camera was told another one.
        if machine.commandLink == nil { machine.settings.identity = greeting.identity(&faults) }
        feed(.admit(link))
    }
}
