import Basics
import Bridge
import Console
import Posix
import Store
import Transfer
import Upload

/// Commands from other processes.
extension RunningBridge {
    /// One line in, lines out.
    func answer(
        _ line: String, _ reply: @Sendable (String) async throws -> Void
    ) async {
        do {
            let request = try JSON5.parse(line)
            switch request["command"]?.string {
            case "verify", "readBack", "redeliver", "mend": try await answerAtLength(request, reply)
            case "cameras": try await reply(tethered.compact)
            case "status": try await reply(try await board.status().json.compact)
            case MetricsCommand.command:
                try await reply(
                    JSONValue.object([(key: "text", value: .string(try await metrics()))]).compact)
            case AlertCommands.command: try await reply(await testAlerts().compact)
            case "retry": try await reply(Self.answer(try await ledger.retry(Self.jobs(request))).compact)
            case "cancel": try await reply(Self.answer(try await cancel(Self.jobs(request))).compact)
            case "pause": try await reply(try await paused(true).compact)
            case "resume": try await reply(try await paused(false).compact)
            case HomeCameraChange.command: try await reply(try await changeHome(request).compact)
            case "closeEvent": try await reply(try await closeWindow(request).compact)
            case "decideAbsence": try await reply(try await decide(request).compact)
            case DestinationChange.command: try await reply(try await changeDestinations(request).compact)
            case "tryAgain": try await reply(await tryAgain().compact)
            case PhotoEditRequest.command: try await reply(try await editPhotos(request).compact)
            case SyncWish.command: try await reply(try await sync(request).compact)
            default:
                let text = "this bridge does not know the command '\(request["command"]?.string ?? line)'"
                try await reply(JSONValue.object([(key: "error", value: .string(text))]).compact)
            }
        } catch is CancellationError {
            // The bridge is ending, or the other program has gone: an answer without its end says so.
            return
        } catch let error as JSON5Error {
            await refuse(CommandRouter.Refused(description: "the command cannot be read: \(error)"), reply)
        } catch {
            await refuse(error, reply)
        }
    }

    /// Many lines; the last one says that they are all.
    private func answerAtLength(
        _ request: JSONValue, _ reply: @Sendable (String) async throws -> Void
    ) async throws {
        switch request["command"]?.string {
        case "verify": try await verify(request, reply)
        case "readBack": try await readBack(request, reply)
        case "redeliver": try await redeliver(request, reply)
        default: try await mend(request, reply)
        }
        try await reply(BridgeAnswer.end.compact)
    }

    /// Which cameras this bridge holds; each has one slot.
    private var tethered: JSONValue {
        ["cameras": .array(cameras.all.map { .string($0.place) }), "event": .string(event.name)]
    }

    // MARK: What an operator does

    static func jobs(_ request: JSONValue) -> [JobID] {
        (request["jobs"]?.array ?? []).compactMap { $0.integer.map { JobID($0) } }
    }

    private static func answer(_ jobs: [JobID]) -> JSONValue {
        ["jobs": .array(jobs.map { .integer($0.number) })]
    }

    func cancel(_ jobs: [JobID]) async throws -> [JobID] {
        let (cancelled, claimed) = try await ledger.cancelUnclaimed(jobs)
        deliveries.cancel(claimed)
        return cancelled + claimed
    }

    func pause(_ isPaused: Bool) async throws {
        try await ledger.pause(isPaused)
        deliveries.pause(isPaused)
        board.tell(.paused(isPaused))
    }

    private func paused(_ isPaused: Bool) async throws -> JSONValue {
        try await pause(isPaused)
        return ["paused": .bool(isPaused)]
    }

    private static func event(_ request: JSONValue) -> BridgeEvent {
        BridgeEvent(id: request["event"]?.string ?? "", name: "")
    }

    private func closeWindow(_ request: JSONValue) async throws -> JSONValue {
        let wanted = Self.event(request)
        let isClosed = try await ledger.closeWindow(of: wanted)
        if wanted.id == event.id { await lookAtCardsAgain() }
        return ["closed": .bool(isClosed)]
    }

    private func decide(_ request: JSONValue) async throws -> JSONValue {
        let wanted = Self.event(request)
        guard let verdict = request["verdict"]?.string.flatMap({ EventAbsence.Verdict(rawValue: $0) }) else {
            throw CommandRouter.Refused(description: "this bridge knows no such verdict")
        }
        let known = try await ledger.decide(verdict, of: wanted)
        if wanted.id == event.id { await lookAtCardsAgain() }
        return ["known": .integer(Int64(known))]
    }

    /// To those of another event nothing is delivered now.
    private func changeDestinations(_ request: JSONValue) async throws -> JSONValue {
        let change = try DestinationChange(request)
        let isOurs = change.event.id == event.id
        return try await (isOurs ? deliveries.change(change) : change.perform(in: ledger)).json
    }

    /// The operator has logged in, given consent, or mended something.
    private func tryAgain() async -> JSONValue {
        await images.lookAtAccount()
        copies.tryAgain()
        return ["destinations": .integer(Int64(deliveries.tryAgain()))]
    }

    private func refuse(_ error: any Error, _ reply: @Sendable (String) async throws -> Void) async {
        do {
            try await reply(BridgeAnswer.refusal(error).compact)
        } catch is CancellationError {
            return
        } catch let error as SystemError where error.isHangUp {
            // The client has hung up, and needs no answer.
            return
        } catch {
            printError("tetherline: a command could not be answered: \(error)")
        }
    }

    /// This bridge works for one event.
    func requireOwnEvent(_ request: JSONValue) throws {
        guard let wanted = request["event"]?.string, wanted != event.id, wanted != event.name else { return }
        throw NothingThere(
            description: "the bridge that runs here works for the event '\(event.name)', not '\(wanted)'")
    }

    private func verify(
        _ request: JSONValue, _ reply: @Sendable (String) async throws -> Void
    ) async throws {
        try requireOwnEvent(request)
        let reader = try LedgerReader(path: command.home.database)
        // What a list of a hundred thousand photos takes is wanted once.
        defer { Program.givesBackMemory() }
        var verification = try Verification(of: event, in: reader)
        for camera in cameras.all {
            try verification.look(at: await camera.survey())
            try await verification.tell { try await reply($0.compact) }
        }
        try await verification.tellRest(of: event) { try await reply($0.compact) }
    }
}

/// What other commands of this home ask before they take a camera's slot.
enum TetheredElsewhere {
    private static let timeout = Duration.seconds(10)

    /// Throws when the bridge that runs in this home holds the camera.
    static func check(_ host: HostPort, _ home: Home, on reactor: Reactor) async throws {
        let answer = Mailbox<String>()
        do {
            try await ControlClient.ask(
                path: home.controlSocket, #"{"command":"cameras"}"#, on: reactor, timeout: timeout
            ) { answer.post($0) }
        } catch is ControlClient.NobodyListens {
            return
        }
        guard let line = answer.takeAll().first else { return }
        let said = try JSON5.parse(line)
        guard said["cameras"]?.array?.contains(where: { $0.string == "\(host)" }) == true else { return }
        throw SlotTaken(
            description:
                "the bridge that runs in \(home.path) holds the camera at \(host) for '\(said["event"]?.string ?? "?")', and a "
                + "camera has one slot. 'tetherline captures' and 'tetherline verify' ask that bridge; for anything else end it first."
        )
    }

    struct SlotTaken: Error, CustomStringConvertible {
        let description: String
    }
}
