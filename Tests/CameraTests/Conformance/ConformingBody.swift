import Basics
import Camera
import PTP
import Simulator
import TestSupport

/// One kind of body that a driver works with, as the conformance suite needs it.
protocol ConformingBody: Sendable {
    /// What such a body cannot do, however well it is driven.
    var limits: Set<BodyLimit> { get }
    /// The name of the driver that works with it.
    var driver: String { get }

    /// A new one with so many photos, which does this besides what is its nature.
    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest
}

enum BodyLimit: Sendable {
    /// Photos cannot be gone on with in their middle.
    case givesNoParts
    /// Photos lie in its memory, and are gone when they have been fetched.
    case keepsInMemory
    /// Photos lie in its memory until they are released.
    case keepsUntilReleased
    /// It does not tell what time it has.
    case tellsNoTime
    /// Everything has other references in another connection.
    case renames
    /// It says that there is something new, and not what.
    case saysNotWhat
    /// It says nothing by itself.
    case saysNothing
}

/// What goes wrong with one photo: the first is 1.
enum BodyConduct: Sendable {
    case good
    /// The connection ends when it is asked what this is.
    case endsWhenDescribing(Int)
    /// The connection ends in the middle of its bytes.
    case endsWhenFetching(Int)
    /// It refuses to give its bytes.
    case refusesFetching(Int)
    /// The connection ends once, after so many bytes of the first photo.
    case cutsOnce(after: Int)
    /// Its photos are numbered from here.
    case numbersFrom(Int)
    /// Its card is changed for an empty one with the second shot: names and handles begin anew.
    case changesCard
    /// Another body of the same model, which shoots under the same names.
    case serial(String)
    /// A burst that begins with the first session.
    case shoots(Int, every: Duration)
    /// Each shot is a RAW and a JPEG.
    case shootsPairs
}

extension BodyConduct {
    /// What a fault script says of it, where that is the same for every body.
    var script: String {
        switch self {
        case .numbersFrom(let number): "first-number value=\(number)"
        case .changesCard: "card-swap shots=2 handles=reused"
        default: ""
        }
    }

    /// What is no fault of a body.
    func dress(_ settings: inout SimulatedCamera.Settings, _ card: inout VirtualCard.Settings) {
        switch self {
        case .serial(let serial):
            card.serial = serial
            card.seed = UInt64(serial) ?? 0
            settings.guid =
                GUID([UInt8](repeating: UInt8(truncatingIfNeeded: card.seed), count: 16)) ?? settings.guid
        case .shoots(let count, let interval): (settings.shots, settings.interval) = (count, interval)
        case .shootsPairs: (card.hasRawToo, card.photoSize) = (true, 20_000)
        case .changesCard:
            // The first photos of two cards are not taken in the same second.
            let second = Shared<Int64>(1_790_000_500)
            settings.localSeconds = {
                second.change { second in
                    second += 2
                    return second
                }
            }
        default: break
        }
    }
}

/// One body, and what can be seen and done of it from outside.
protocol BodyUnderTest: Sendable {
    /// What a client connects to it with.
    func connector() throws -> any CameraConnector
    var workers: PhotoWorkers { get }
    /// Its own clock.
    var clock: Int64 { get }

    func shoot() async
    /// What it has, by the names of files.
    func photos() async throws -> [String: [UInt8]]
    func switchOff() async
    func switchOn() async
    /// Connections that were ended as its protocol wants it.
    var farewells: Int { get }
}
