import Bridge
import Camera
import Posix

/// Which body this is.
extension CameraTransfer {
    /// Who has been connected to; told apart from those that call themselves the same.
    func greet(_ camera: any CameraDriver) async throws -> ConnectedCamera {
        hasMet = true
        let recognized = try await session.greet(
            camera, at: place, expecting: expected, BodyPresence(transfer: self, time: time), workers)
        heard.add(1)
        self.recognized = recognized
        tethering = recognized.tethering
        return recognized.tethering
    }

    /// The connection has another name from now on. It is not found out again who it is: others of its name may be waiting
    /// for its answer meanwhile.
    func greetAgain(_ camera: any CameraDriver) async throws -> ConnectedCamera {
        let renewed = try await session.renewed(recognized, camera)
        heard.add(1)
        recognized = renewed
        tethering = renewed.tethering
        return renewed.tethering
    }

    /// Its body is met elsewhere.
    func makeWay(to other: String) {
        let name = recognized?.identity.model ?? "camera"
        leave(
            because: .lost(
                "the \(name) does not answer here any more, and is at \(other) now: it is the same camera, and nothing has to be done on it."
            ))
    }
}
