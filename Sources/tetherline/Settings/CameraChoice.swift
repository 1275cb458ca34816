import Basics
import Camera
import Discovery
import Posix
import Store

/// Which camera `--camera` means.
enum CameraChoice: Equatable {
    case address(HostPort)
    /// Every camera of the home that announces itself.
    case automatic
    /// Of those, the ones of this name, model or serial number.
    case named(CameraName)

    static let automaticWord = "auto"

    /// A word without a dot, a colon or a space may be a host's name and a camera's: it is the camera's where the home knows
    /// one, see ``resolved(among:)``.
    init(_ text: String) throws(HostPort.Unreadable) {
        if text == Self.automaticWord {
            self = .automatic
        } else if text.contains(where: \.isWhitespace), let name = CameraName(text) {
            self = .named(name)
        } else {
            self = .address(try HostPort(text, defaultPort: TCPLinks.usualPort))
        }
    }

    func resolved(among cameras: [ExpectedCamera]) -> CameraChoice {
        guard case .address(let host) = self, host.port == TCPLinks.usualPort,
            !host.host.contains(where: { ".:".contains($0) }), let name = CameraName(host.host),
            cameras.contains(where: name.means)
        else { return self }
        return .named(name)
    }

    var text: String {
        switch self {
        case .address(let host): "\(host)"
        case .automatic: Self.automaticWord
        case .named(let name): "\(name)"
        }
    }
}

extension RunSettings {
    /// Those that were named by their addresses.
    var addresses: [HostPort] {
        cameras.compactMap { choice in
            if case .address(let host) = choice { host } else { nil }
        }
    }

    var names: [CameraName] {
        cameras.compactMap { choice in
            if case .named(let name) = choice { name } else { nil }
        }
    }

    /// Some of them have to be found.
    var searches: Bool { addresses.count < cameras.count }

    /// What the home's cameras are called is known only in it.
    func resolved(by ledger: Ledger) async throws -> RunSettings {
        let known = try await ledger.homeCameras().map(\.expected)
        var resolved = self
        resolved.cameras = cameras.map { $0.resolved(among: known) }
        return resolved
    }
}

extension HomeCamera {
    /// What a search may recognise it by.
    var expected: ExpectedCamera {
        var expected = ExpectedCamera(key: key)
        expected.name = name
        expected.model = model
        expected.serial = serial
        expected.wireID = wireID
        expected.announced = announced
        expected.place = place
        expected.isAddedByPlace = isAddedByPlace
        return expected
    }
}
