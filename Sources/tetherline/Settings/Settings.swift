import Arguments
import Basics
import Bridge
import Camera
import HTTPClient
import Posix
import Store
import Transfer
import Upload

/// What a bridge does: by `config.json5` in its home, and by its command line, which has the last word. Each part is
/// the type that it configures.
struct Settings {
    var run = RunSettings()
    var camera = CameraSettings()
    var transfer = TransferSession.Settings()
    /// What was shot while no run was alive for longer is not taken unasked.
    var longestAbsence = Duration.seconds(6 * 3600)
    var reserve = Spool.Reserve()
    var retention = Retention.always
    var notifications = NotificationSettings()
    var alerts = AlertSettings()
    var alertWays = AlertWaySettings()
    var jobs = JobPolicy()
    var deliveries = UploadScheduler.Settings()
    var copy = SecondCopy()
    var http = CurlClient.Configuration()
    var network = NetworkSettings()
    var hud = HudWishes()
    var captions = CaptionSettings()
    /// Bytes a second that uploads by one network take together.
    var rate: UInt64?

    /// A folder that gets every photo, too.
    struct SecondCopy {
        var folder: String?
        var name: String?
    }

    static let limit = 1 << 20

    /// The home's settings; the usual ones where there is no such file.
    static func read(from home: Home) throws -> Settings {
        guard let file = try SettingsFile(of: home) else { return Settings() }
        return try file.settings()
    }

    init() {}

    init(_ value: JSONValue, path: String) throws {
        try SettingsObject(value, named: nil, in: path).read(Self.table, into: &self)
    }

    /// What a command line says of these.
    mutating func apply(_ invocation: Invocation, _ settings: [Setting<Settings>]) throws {
        for setting in settings { try setting.apply(invocation, to: &self) }
    }

    /// Raw files after the JPEGs: a rule of what is taken, and of its order.
    var take: CaptureFilter.Kinds {
        get { transfer.filter.kinds }
        set {
            transfer.filter.kinds = newValue
            transfer.machine.jpegFirst = newValue == .jpegFirst
        }
    }
}

/// Who we are to cameras, and how they are reached.
struct CameraSettings {
    var name = "Tetherline"
    /// How long a person has to press OK on it.
    var wait = Duration.seconds(180)
    var guid: String?
    var interface: String?
    /// Cameras that look for a computer by UPnP are answered.
    var answersUPnP = false
    /// Which driver works with every camera of this command; nothing where each camera has its own.
    var driver: DriverChoice?
    /// Cameras that differ from others.
    var bodies: [BodySettings] = []

    /// As the operator says it; nothing where the home keeps one.
    var id: ClientIdentity? { guid.flatMap { ClientIdentity(id: $0, name: name) } }
}
