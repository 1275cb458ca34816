import Bridge
import PTP

/// Whose body it is and of which kind, as far as that is known by now: what a person beside it is told, and how its
/// connections are spaced, go by that.
struct BodyKind: Equatable, Sendable {
    enum Make: Equatable, Sendable {
        case canon
        /// Nothing where its name is not known and it has not said what it can do.
        case nikon(NikonGeneration?)
        case sony(SonyMode?)
        /// It is spoken of in general words.
        case other
    }

    /// As the person beside it calls it: "Z 8", or "Nikon" where no more is known.
    let name: String
    let make: Make

    /// What a longer name says behind this is of no help.
    private static let longestName = 40

    init(name: String, _ make: Make) {
        self.name = String(name.prefix(Self.longestName))
        self.make = make
    }

    /// By what it says of itself.
    init(_ device: DeviceInfo, expected: BodyKind? = nil) {
        let make: Make =
            switch device.vendor {
            case .canon: .canon
            case .nikon: .nikon(NikonGeneration(device))
            case .sony: .sony(SonyMode(device, expectsTransfer: expected?.make == .sony(.transfer)))
            default: .other
            }
        self.init(name: device.model.isEmpty ? make.maker : device.model, make)
    }

    /// Before it has said anything: as the operator says by choosing a driver, and as the body said that was here last.
    init?(of known: KnownBody?, _ choice: DriverChoice) {
        let identity = known?.identity
        let last = identity.flatMap {
            Vendor.resolve(extensionID: 0, manufacturer: $0.manufacturer, model: $0.model)
        }
        var mode: String?
        var vendor = last
        if case .maker(let name, let chosen) = choice {
            vendor = Vendor(rawValue: name)
            mode = chosen
        }
        // What was here last says nothing of a body of another make.
        let model = vendor == last ? identity?.model ?? "" : ""
        let make: Make
        switch vendor {
        case .canon: make = .canon
        case .nikon: make = .nikon(NikonGeneration(model: model))
        case .sony: make = .sony(mode == SonyTransferDriver.mode ? .transfer : nil)
        default: return nil
        }
        self.init(name: model.isEmpty ? make.maker : model, make)
    }

    /// Nothing for makers without words of their own.
    var words: (any MakerWords)? {
        switch make {
        case .canon: CanonWords(name: name)
        case .nikon(let generation): NikonWords(name: name, generation: generation)
        case .sony(let mode): SonyWords(name: name, mode: mode)
        case .other: nil
        }
    }
}

extension BodyKind.Make {
    var maker: String {
        switch self {
        case .canon: "Canon"
        case .nikon: "Nikon"
        case .sony: "Sony"
        case .other: "camera"
        }
    }
}

/// The modes of a Sony in which it speaks PTP/IP.
enum SonyMode: CaseIterable, Sendable {
    /// PC Remote.
    case remote
    /// Content transfer.
    case transfer
    /// Send to Computer.
    case sendToComputer

    /// Nothing for a body that lists nothing of Sony's.
    init?(_ device: DeviceInfo, expectsTransfer: Bool) {
        if expectsTransfer, device.supports(.sonySetTransferMode) {
            self = .transfer
        } else if device.supports(.sonyConnect) {
            self = .remote
        } else if device.supports(.sonySendToComputer) {
            self = .sendToComputer
        } else {
            return nil
        }
    }
}
