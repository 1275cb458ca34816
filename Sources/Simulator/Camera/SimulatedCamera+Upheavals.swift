import PTP
import Synchronization

/// What happens to a camera as a thing: its power and its card. All of it may be asked for at
/// any time, also before a client has come and while data is on its way.
extension SimulatedCamera {
    // MARK: Power

    /// As when its battery is pulled: every link breaks, and no client is answered until it is switched on again. The card
    /// keeps what is on it.
    package func powerOff() {
        guard isOn else { return }
        log("switched off")
        isOn = false
        forgetClients()
        body.switchedOff(faults)
    }

    package func powerOn() {
        guard !isOn else { return }
        log("switched on")
        isOn = true
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
        let pulling = faults.takeAll(.vanish, object: object, operation: code) { rule in
            rule.number("after-shots") == nil && (object != nil || rule.number("operation") != nil)
        }
        for rule in pulling { vanish(for: rule.duration("for")) }
    }
}
