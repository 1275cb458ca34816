import PTP
import Synchronization

/// What happens to a camera as a thing: its power, its card, and a firmware that hangs. All of it may be asked for at
/// any time, also before a client has come and while data is on its way.
extension SimulatedCamera {
    // MARK: Power

    /// As when its battery is pulled: every link breaks, and no client is answered until it is switched on again. The card
    /// keeps what is on it.
    package func powerOff() {
        guard isOn else { return }
        log("switched off")
        isOn = false
        leaveNetwork()
        body.switchedOff(faults)
    }

    package func powerOn() {
        guard !isOn else { return }
        log("switched on")
        isOn = true
        isOnNetwork = true
        greeting.switchedOn()
    }

    /// As when it saves power: every link breaks without a goodbye and there is nothing at its address, while what is in
    /// its memory stays there, and photos are taken.
    package func fallAsleep() {
        guard isOnNetwork else { return }
        log("its Wi-Fi sleeps")
        leaveNetwork()
    }

    package func wakeUp() {
        guard isOn, !isOnNetwork else { return }
        log("its Wi-Fi is back")
        isOnNetwork = true
    }

    private func leaveNetwork() {
        isOnNetwork = false
        upheavals += 1
        forgetClients()
        pulse.open()
    }

    /// As some bodies do when a client has paired: every link breaks, and for a while there is nothing at its address.
    func restartWiFi(_ restart: BodyAnswer.Restart) {
        later { camera in
            guard await camera.pause(restart.after), camera.isOnNetwork else { return }
            camera.log("its Wi-Fi restarts")
            camera.leaveNetwork()
            guard await camera.pause(restart.lasting) else { return }
            camera.wakeUp()
        }
    }

    // MARK: The card

    /// Takes the card out, with what is on it. A photo that is on its way breaks off.
    package func pullCard() {
        guard let notices = body.pullCard() else { return }
        log("the card is pulled")
        if let job = dataJob, job.isFromCard {
            job.stop.withLock { $0 = $0 ?? .broken(.storeNotAvailable) }
        }
        for notice in notices { feed(.notice(notice)) }
    }

    /// Puts the same card in again.
    package func insertCard() {
        guard let notices = body.insertCard() else { return }
        log("the card is put in")
        for notice in notices { feed(.notice(notice)) }
    }

    /// What is on the card now, whether the card is in the camera or not.
    package func photos() -> [CardPhoto] { body.photos }

    /// Those, and what was shot and has left the camera since.
    package func everyPhoto() -> [CardPhoto] {
        let here = photos()
        let known = Set(here.map(\.uniqueID))
        return here + shot.filter { !known.contains($0.uniqueID) }
    }

    func remember(_ handles: [ObjectHandle]) {
        guard settings.remembersPhotos, !handles.isEmpty else { return }
        shot += photos().filter { handles.contains($0.handle) }
    }

    /// Pulls the cards that were to be pulled after the last photo.
    func vanishIfDue() {
        let rules = toVanish
        toVanish = []
        for rule in rules { vanish(for: rule.duration("for")) }
    }

    private func vanish(for duration: Duration?) {
        pullCard()
        guard let duration else { return }
        later { camera in
            if await camera.pause(duration) { camera.insertCard() }
        }
    }

    // MARK: Requests

    /// What a request sets off before anything is made of it.
    func prepare(for request: OperationRequest) {
        let code = request.code
        let object = body.operations.object(of: code, request.parameters)
        lastRequest = (code, object)
        if code == .openSession { insistOnSession(request.parameters.first ?? 0) }
        if body.operations.sessionOpenings.contains(code) {
            body.sessionAsked(by: code, request.parameters, &faults)
        }
        let pulling = faults.takeAll(.vanish, object: object, operation: code) { rule in
            rule.number("after-shots") == nil && (object != nil || rule.number("operation") != nil)
        }
        for rule in pulling { vanish(for: rule.duration("for")) }
        startFloods(with: code, object: object)
        if let rule = faults.take(.hang, object: object, operation: code) { hang(for: rule.duration("for")) }
    }

    private func insistOnSession(_ number: UInt32) {
        let rule = faults.take(.sessionID, operation: .openSession) { $0.number("wanted") != UInt64(number) }
        machine.settings.onlySession = rule?.number("wanted").map { UInt32(truncatingIfNeeded: $0) }
        if let code = rule?.number("code") {
            machine.settings.refusalOfOtherSessions = ResponseCode(rawValue: UInt16(code))
        }
    }

    // MARK: Hanging

    /// From now on nothing is read, said or let in, while the system goes on acknowledging what comes.
    private func hang(for duration: Duration?) {
        log(duration.map { "hanging for \($0)" } ?? "hanging")
        upheavals += 1
        pulse.close()
        guard let duration else { return }
        let number = upheavals
        later { camera in
            guard await camera.pause(duration), camera.upheavals == number else { return }
            camera.pulse.open()
        }
    }
}
