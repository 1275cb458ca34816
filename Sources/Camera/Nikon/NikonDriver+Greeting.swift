import Basics
import Bridge
import PTP

/// How bodies of each generation are greeted, and left.
extension NikonDriver {
    /// "1 MiB GetPartialObject on Nikon: large GetObject stalls D7200, J4, D750, WU-1a"; "> 4 GiB via 0x9431".
    private static let parts = [
        PartOperation(.getPartialObject, .offset32), PartOperation(.nikonGetPartialObjectEx, .bothIn64),
    ]

    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        let early = plain.pushed.take { [noticing, changes, time] notice in
            for change in noticing.withLock({ $0.pushed(notice, at: time.now) }) { changes.push(change) }
        }
        // Its list of events holds them as well: what was told already is not told again.
        for notice in early {
            let told = noticing.withLock { $0.pushed(notice, at: time.now) }
            if CameraChange(notice) == nil { for change in told { changes.push(change) } }
        }
        await plain.give(parts: Self.parts, of: FetchPlan.usualPart)
        await session.askSizes(by: .nikonGetObjectSize)
        do throws(CameraFailure) {
            switch generation {
            case .old: break
            case .first: try await enterApplicationMode(by: .property)
            case .second, .third(isPaired: true): try await enterApplicationMode(by: .operation)
            case .third(isPaired: false): try await pair(onStep)
            }
        } catch {
            await end()
            throw error
        }
    }

    func end() async {
        // Also where we are told to end: the body is left in order, which takes a second at the most.
        await Task(executorPreference: session.executor) { await self.leave() }.value
    }

    private func leave() async {
        if let entered {
            self.entered = nil
            do throws(CameraError) {
                try await setApplicationMode(false, by: entered, timeout: Self.leavingTimeout)
            } catch {
                if case .answered = error.problem {
                    plain.unseen.met(.nikonModeNotLeft)
                    changes.push(.remark("the camera's application mode could not be left: \(error.problem)"))
                }
            }
        }
        guard await session.ending == nil else { return }
        do {
            try await time.sleep(until: openedAt + Self.leastSession)
        } catch {
            changes.push(.remark("the session ends sooner than such bodies like it: \(error)"))
        }
    }

    private static let leavingTimeout = Duration.seconds(1)
    /// "Closing a session < 1 s after opening it makes the next InitCommandRequest go unanswered."
    static let leastSession = Duration.seconds(1)

    // MARK: The application mode

    private func enterApplicationMode(by way: ApplicationMode) async throws(CameraFailure) {
        guard traits.entersApplicationMode else { return }
        if way == .operation, !plain.device.supports(.nikonChangeApplicationMode) { return }
        do throws(CameraError) {
            try await setApplicationMode(true, by: way)
            entered = way
            // "The list grows after pairing, and in the application mode."
            try await plain.lookAgain()
            await plain.give(parts: Self.parts, of: FetchPlan.usualPart)
            noticing.withLock { $0.lists(plain.device) }
            if plain.device.supports(.nikonDeviceReady) {
                _ = try await session.demand(Call(.nikonDeviceReady))
            }
        } catch {
            guard error.isHarmless else { throw CameraFailure(error) }
            // "0x9435(1) → OK means that the saved profile is accepted."
            if case .third = generation, error.isRefusal {
                plain.unseen.met(.nikonNotPaired)
                throw profileRefused(error)
            }
            changes.push(.remark("the camera did not enter its application mode: \(error.problem)"))
        }
    }

    private func setApplicationMode(
        _ isOn: Bool, by way: ApplicationMode, timeout: Duration? = nil
    ) async throws(CameraError) {
        switch way {
        case .operation:
            _ = try await session.demand(
                Call(.nikonChangeApplicationMode, [isOn ? 1 : 0], timeout: timeout))
        case .property:
            let property = UInt32(DevicePropertyCode.nikonApplicationMode.rawValue)
            _ = try await session.demand(
                Call(
                    .setDevicePropValue, [property], data: .outgoing([isOn ? 1 : 0]), timeout: timeout))
        }
    }

    private func profileRefused(_ error: CameraError) -> CameraFailure {
        var failure = CameraFailure(error)
        failure.advice = NikonWords(plain.device).pairAgain
        failure.trouble = .connectionOver(.needsPerson(failure.cause), mayBeItsDoing: false)
        failure.outcome = .notPermitted
        return failure
    }

    // MARK: Pairing

    /// Never 0x9435 before: "it aborts the camera's pairing wizard". Nothing else is asked between the code and its
    /// confirmation, and after that the body ends the connection.
    private func pair(_ onStep: @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        let code: NikonPairingCode
        do throws(CameraError) {
            code = try await pairingCode()
        } catch {
            throw pairingEnded(error)
        }
        onStep(.confirmingCode(NikonWords(plain.device).confirm(code)))
        let limit = plain.settings.waitForPerson
        let until = time.now + limit
        do throws(CameraError) {
            let reply = try await session.exchange(
                Call(.nikonConfirmPairing, [Self.confirmed], timeout: limit, silence: limit))
            guard reply.code == .ok else {
                throw session.error(.answered(.nikonConfirmPairing, reply.code, .nikon), "pairing")
            }
            while time.now < until {
                try await session.throwIfEnded()
                try await pause(until: time.now + Self.lookForDrop, "pairing")
            }
        } catch {
            // A body may answer only when it was confirmed.
            if case .timedOut = error.problem { throw notConfirmed(after: limit) }
            throw pairingEnded(error)
        }
        throw notConfirmed(after: limit)
    }

    /// What ConfirmPairing is given: Nikon's own OK.
    private static let confirmed: UInt32 = 0x2001
    private static let lookForDrop = Duration.milliseconds(250)
    /// "Poll up to 10 × 250 ms until OK with non-empty data."
    private static let mostQuestionsForCode = 10
    private static let betweenQuestions = Duration.milliseconds(250)

    private func pairingCode() async throws(CameraError) -> NikonPairingCode {
        var answered = ResponseCode.ok
        for question in 0..<Self.mostQuestionsForCode {
            if question > 0 { try await pause(until: time.now + Self.betweenQuestions, "pairing") }
            let reply = try await session.exchange(
                Call(.nikonGetPairingInfo, data: .incoming(limit: NikonPairingCode.mostBytes)))
            if reply.code == .ok, !reply.data.isEmpty {
                let code = NikonPairingCode(reading: reply.data[...])
                if code.readings.count != 1 { plain.unseen.met(.nikonPairingCode) }
                if code.readings.isEmpty {
                    changes.push(
                        .remark("the pairing code is not understood; its bytes: \(HexDump(reply.data))"))
                }
                return code
            }
            answered = reply.code
        }
        throw session.error(.answered(.nikonGetPairingInfo, answered, .nikon), "pairing")
    }

    func pause(until then: Duration, _ subject: String) async throws(CameraError) {
        do {
            try await time.sleep(until: then)
        } catch {
            throw session.error(.cancelled, subject)
        }
    }

    /// "The camera drops this connection and restarts its Wi-Fi": that is how it says that a person has confirmed.
    private func pairingEnded(_ error: CameraError) -> CameraFailure {
        var failure = CameraFailure(error)
        switch error.problem {
        case .ended(.linkLost):
            failure.reason =
                "the camera ended the connection, as it does when the pairing was confirmed on it, and restarts its Wi-Fi"
            failure.advice = NikonWords(plain.device).afterPairing
            failure.trouble = .connectionOver(.lost(failure.cause), mayBeItsDoing: false)
            failure.outcome = .tryAgain
        case .answered:
            failure.advice = NikonWords(plain.device).pairAgain
            failure.trouble = .connectionOver(.needsPerson(failure.cause), mayBeItsDoing: false)
            failure.outcome = .notPermitted
        default: break
        }
        return failure
    }

    private func notConfirmed(after limit: Duration) -> CameraFailure {
        let reason = "the pairing was not confirmed on the camera within \(limit)"
        let advice = NikonWords(plain.device).pairAgain
        return CameraFailure(
            camera: session.links.target, reason: reason, advice: advice,
            trouble: .connectionOver(.needsPerson("\(reason). \(advice)"), mayBeItsDoing: false),
            outcome: .tryAgain)
    }
}
