import Basics
import Bridge
import PTP

/// Which driver works with a body: the operator's choice, or what the body says of itself.
///
/// A maker's operations are sent only to bodies that list them: what a body does not know may put an error on its screen,
/// or spoil the session.
public enum DriverChoice: Equatable, Sendable {
    /// By what the body says of itself.
    case automatic
    /// Plain PTP, whatever the body is.
    case generic
    /// One make's, in one of its ways: `canon:remote`.
    case maker(String, mode: String?)

    /// As an operator writes it; nothing where no driver is called that.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        switch parts[0] {
        case "auto" where parts.count == 1: self = .automatic
        case GenericDriver.name where parts.count == 1: self = .generic
        default:
            guard let modes = Self.modes[parts[0]] else { return nil }
            let mode = parts.count > 1 ? parts[1] : nil
            if let mode, !modes.contains(mode) { return nil }
            self = .maker(parts[0], mode: mode)
        }
    }

    /// The makers' drivers, and the ways that each can be told to work in.
    static let modes: [String: [String]] = [
        CanonDriver.name: CanonDriver.modes,
        NikonDriver.name: [],
        SonyDriver.name: [SonyContentsDriver.mode, SonyTransferDriver.mode],
    ]

    /// What an operator may write.
    public static var words: [String] {
        ["auto", GenericDriver.name]
            + modes.sorted { $0.key < $1.key }.flatMap { name, modes in [name] + modes.map { "\(name):\($0)" }
            }
    }

    /// Nothing for a body that is worked with by plain PTP: because the operator says so, or because it does not list
    /// what its maker's driver needs.
    func driver(_ plain: GenericDriver) async -> (any MakerDriver)? {
        switch self {
        case .generic: nil
        case .automatic:
            switch plain.device.vendor {
            case .canon: CanonDriver(plain, mode: nil)
            case .nikon: await NikonDriver.driver(for: plain)
            case .sony: SonyDriver.driver(for: plain)
            default: nil
            }
        case .maker(CanonDriver.name, let mode): CanonDriver(plain, mode: mode)
        case .maker(NikonDriver.name, _): await NikonDriver.driver(for: plain)
        case .maker(SonyDriver.name, let mode): SonyDriver.driver(for: plain, mode: mode)
        case .maker: nil
        }
    }
}

extension GenericConnector {
    /// Greets the body as its make wants it, and lets the driver notice what is new for as long as it is used.
    func used<Result: Sendable>(
        _ plain: GenericDriver, _ choice: DriverChoice,
        _ onStep: @escaping @Sendable (ConnectionStep) -> Void,
        _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        guard let driver = await choice.driver(plain) else {
            if case .maker(let name, _) = choice {
                plain.changes.push(
                    .remark(
                        "this body does not list the operations that the driver '\(name)' needs: it is tethered by plain PTP"
                    ))
            }
            return try await use(plain)
        }
        defer { experience.leave(unsaid: plain.unseen.unsaid) }
        do throws(CameraFailure) {
            try await driver.begin(onStep)
        } catch {
            // What was begun is ended as well: a mode that was entered, a session that is too young to be closed.
            await driver.end()
            throw error
        }
        plain.unseen.usingBegins()
        let noticing = Task(executorPreference: plain.session.executor) {
            do throws(CameraFailure) {
                try await driver.notice()
            } catch {
                driver.changes.push(.remark("what is new is not asked for any more: \(error.sentence)"))
                await plain.breakOff(error)
            }
        }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await use(driver))
        } catch {
            result = .failure(error)
        }
        plain.unseen.usingEnds()
        noticing.cancel()
        await noticing.value
        await driver.end()
        return try result.get()
    }
}
