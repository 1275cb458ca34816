import Basics
import Camera

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
    /// Connections that were ended as its protocol wants it.
    var farewells: Int { get }
}
