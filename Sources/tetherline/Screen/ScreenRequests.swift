import Arguments
import Basics
import Bridge
import Console
import Posix
import Store
import Synchronization
import Web

/// What a terminal's screen shows and asks for, the same beside a bridge and in one: a bridge is asked as any other program
/// asks it.
final class ScreenRequests: Sendable {
    let home: Home
    /// What is shown where no bridge runs: the one that was named, or was chosen since.
    private let event: Mutex<String?>
    private let hasColours: Bool

    init(home: Home, event: String?, hasColours: Bool = TerminalColours.ofOutput) {
        self.home = home
        self.hasColours = hasColours
        self.event = Mutex(event)
    }

    /// How it is now, and nothing else happens.
    func status(on reactor: Reactor) async -> HUD.Happening {
        do {
            let source = BridgeStatusSource(home: home, eventAtRest: event.withLock { $0 })
            guard let status = try await source.status(on: reactor) else {
                return .unknown("no event yet: 'tetherline run --camera HOST --event NAME' makes one")
            }
            return .status(status)
        } catch {
            return .unknown("\(error)")
        }
    }

    /// Nothing for what is the screen's own business.
    func perform(_ action: HUD.Action, on reactor: Reactor) async -> HUD.Happening? {
        do {
            switch action {
            case .pause(let isPaused):
                try await OperatorCommands.set(paused: isPaused, home, on: reactor)
                return .done(isPaused ? "paused: nothing new is sent" : "it goes on", isBad: false)
            case .retryFailed: return try await retryFailed(on: reactor)
            case .listEvents: return .choices(try choices())
            case .choose(let choice): return try await choose(choice, on: reactor)
            case .findPage: return try page()
            case .drawAnew, .end: return nil
            }
        } catch {
            return .done("\(error)", isBad: true)
        }
    }

    private func retryFailed(on reactor: Reactor) async throws -> HUD.Happening {
        let failed = try OperatorCommands.failed(event.withLock { $0 }, in: home)
        guard !failed.isEmpty else { return .done("nothing has failed for good", isBad: false) }
        let begun = try await OperatorCommands.begin(again: failed, home, on: reactor)
        let text = "\(begun.count) \(begun.count == 1 ? "delivery" : "deliveries") begun again"
        guard begun.count < failed.count else { return .done(text, isBad: false) }
        let left = failed.count - begun.count
        return .done("\(text); \(left) not: their files are not in the spool any more", isBad: true)
    }

    /// More than any screen has rows.
    private static let mostChoices = 500

    /// The latest first.
    private func choices() throws -> [HUD.Choice] {
        try home.reader().knownEvents().suffix(Self.mostChoices).reversed().map { known in
            HUD.Choice(
                id: known.event.id, name: known.event.name,
                remark: EventListCommand.words(known).joined(separator: "  "))
        }
    }

    /// Longer than any address.
    private static let longestAddress = 4096

    /// As the bridge has written it for those who may read its home.
    private func page() throws -> HUD.Happening {
        let file = try Settings.read(from: home).hud.file(in: home.path)
        do throws(SystemError) {
            let bytes = try ReadableFile.contents(of: file, limit: Self.longestAddress)
            let address = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            return .page(HUD.PageAddress(address, hasColours: hasColours))
        } catch {
            guard error.kind == .missing else { throw error }
            let how = "'tetherline run --hud 0.0.0.0:8420' begins with one"
            return .done("there is no page: \(file) is not there; \(how)", isBad: true)
        }
    }

    /// The setting that 'tetherline run' takes its event from. A bridge that began meanwhile has its own.
    private func choose(_ choice: HUD.Choice, on reactor: Reactor) async throws -> HUD.Happening {
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "cameras")]
        if let running = try await CommandRouter.ask(request, in: home, on: reactor) {
            let name = running["event"]?.string ?? "its event"
            return .done("a bridge runs now, and has \(name) until it ends", isBad: true)
        }
        _ = try SettingsEdit(home, "run.event", isQuiet: true).set([choice.id])
        event.withLock { $0 = choice.id }
        return .done("the next run takes photos into \(choice.name) (run.event)", isBad: false)
    }
}

extension HUD.PageAddress {
    /// A phone cannot come to the address that means the machine itself.
    init(_ address: String, hasColours: Bool) {
        let host = address.components(after: "://")
        let isHere = ["127.", "localhost", "[::1]"].contains { host.hasPrefix($0) }
        self.init(text: address, code: isHere ? [] : QRCode(address)?.blocks(colours: hasColours) ?? [])
    }
}

extension TerminalColours {
    /// What this program prints.
    static var ofOutput: Bool {
        areWanted(isTerminal: Terminal.isTerminal(1), environment: { Program.environment($0) })
    }
}

extension String {
    fileprivate func components(after mark: String) -> Substring {
        firstRange(of: mark).map { self[$0.upperBound...] } ?? self[...]
    }
}
