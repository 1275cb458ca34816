/// The steps of the setup, in their order.
public enum SetupStep: String, CaseIterable, Sendable {
    case camera
    case pair
    case destination
    case photo
    case service

    /// For a sentence.
    var subject: String {
        switch self {
        case .camera: "the camera"
        case .pair: "the pairing"
        case .destination: "where photos go"
        case .photo: "the test photo"
        case .service: "the service"
        }
    }
}

/// A camera as the setup speaks of it.
public struct SetupCamera: Equatable, Sendable {
    /// `Nikon Z 8`, or its address where no more is known.
    public var name: String
    /// By what the commands call it: an address.
    public var host: String
    /// A connection has shown that it lets us in.
    public var isPaired: Bool
    /// What a person does on that body so that it waits for a computer.
    public var toPress: [String]

    public init(name: String, host: String, isPaired: Bool = false, toPress: [String] = []) {
        self.name = name
        self.host = host
        self.isPaired = isPaired
        self.toPress = toPress
    }

    var spoken: String { name == host ? name : "\(name) (\(host))" }
}

/// An event of a gallery.
public struct SetupEvent: Equatable, Sendable {
    public var id: String
    public var name: String

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// What stands already when the setup begins, and what has been added to it since.
public struct SetupStanding: Equatable, Sendable {
    public var cameras: [SetupCamera] = []
    /// The settings name cameras, so that a run without arguments looks for some.
    public var namesCameras = false
    /// The galleries that this home is logged in at.
    public var logins: [String] = []
    /// Where the photos of a run without arguments would be filed.
    public var event: String?
    /// The gallery that the event belongs to.
    public var gallery: String?
    /// Every place that photos would be delivered to.
    public var places: [String] = []
    /// What commands need behind them, so that they are about this home.
    public var homeOption = ""

    public init() {}

    func command(_ words: String) -> String { "'tetherline \(words)\(homeOption)'" }

    /// What a run without arguments lacks, each with the command that gives it.
    public var closedGates: [String] {
        var gates: [String] = []
        if cameras.isEmpty {
            gates.append("There is no camera yet: \(command("setup camera")) finds one.")
        } else if !namesCameras {
            gates.append("The settings name no camera: \(command("setup camera")) has them looked for.")
        }
        if event == nil {
            gates.append("There is no event yet: \(command("setup destination")) names one.")
        }
        if places.isEmpty {
            gates.append(
                "Photos would only be kept here: \(command("setup destination")) says where they go.")
        }
        return gates
    }
}
