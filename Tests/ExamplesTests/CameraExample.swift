// example
import Camera
import PTP

/// The names of all photos on a camera, and the first one's thumbnail.
func look(at address: String, as me: GUID) async throws -> (names: [String], thumbnail: [UInt8]) {
    let options = CameraSession.Options(identity: InitCommandRequest(guid: me, name: "My program"))
    return try await CameraSession.tether(to: address, options: options) { camera in
        let photos = try await camera.list().objects.filter { !$0.info.isFolder }
        guard let first = photos.first else { return ([], []) }
        return (photos.map(\.info.fileName), try await camera.thumbnail(of: first.handle))
    }
}
// end
