import Basics
import Discovery
import Posix
import Synchronization

/// What is printed of the cameras found: rows at the end, or each arrival and departure as it happens.
final class DiscoverView: Sendable {
    private struct State {
        var cameras = FoundCameras()
        var interfaces: [String] = []
    }

    private let watches: Bool
    private let isJSON: Bool
    private let state = Mutex(State())

    init(watches: Bool, isJSON: Bool) {
        self.watches = watches
        self.isJSON = isJSON
    }

    func tell(_ news: CameraFinder.News) {
        state.withLock { $0.cameras.apply(news) }
        switch news {
        case .found(let camera): say("found", camera)
        case .changed(let camera): say("changed", camera)
        case .gone(let camera): say("gone", camera)
        case .listening(let names):
            state.withLock { $0.interfaces = names }
            guard watches else { return }
            let text =
                names.isEmpty ? "no network to look on yet" : "looking on \(names.joined(separator: ", "))"
            printError("tetherline: \(Visible(text))")
        case .remark(let text): printError("tetherline: \(Visible(text))")
        }
    }

    private func say(_ event: String, _ camera: FoundCamera) {
        guard watches else { return }
        if isJSON {
            printOutput(JSONValue.object([("event", .string(event))] + Self.members(camera)).compact)
        } else {
            let row = Human.table([[event] + Self.row(camera)]).joined()
            printOutput(event == "gone" ? row : "\(row)\n    \(Self.next(camera))")
        }
    }

    /// When the time is over. `gateway`: by which this computer reaches other networks.
    func finish(gateway: [UInt8]? = nil) {
        let (cameras, interfaces) = state.withLock { ($0.cameras.all, $0.interfaces) }
        if !watches {
            if isJSON {
                for camera in cameras { printOutput(JSONValue.object(Self.members(camera)).compact) }
            } else {
                let names = ["make", "model", "name", "address", "waits for"]
                let isNamed = Terminal.isTerminal(1) && !cameras.isEmpty
                let rows = Human.table((isNamed ? [names] : []) + cameras.map(Self.row))
                if isNamed { printOutput(rows[0]) }
                for (row, camera) in zip(rows.suffix(cameras.count), cameras) {
                    printOutput("\(row)\n    \(Self.next(camera))")
                }
            }
        }
        if cameras.isEmpty, !watches {
            for line in Self.nothingFound(interfaces) { printError(line) }
            if let perhaps = gateway.flatMap(AccessPoint.camera) {
                printError(
                    "The gateway here has the address of \(perhaps.make ?? "a camera") on a network of its own: if it is one, "
                        + "tetherline camera info \(perhaps.host)")
            }
        }
    }

    // MARK: One camera

    private static func row(_ camera: FoundCamera) -> [String] {
        let how = camera.services.map(\.spoken).joined(separator: "; ")
        return [
            camera.make ?? "?", camera.model ?? "?", camera.name ?? camera.id,
            "\(camera.address):\(camera.port)", how,
        ].map { Visible($0).description }
    }

    private static func next(_ camera: FoundCamera) -> String {
        guard let service = camera.best else { return "" }
        guard camera.speaksPTP else { return "Not to be tethered now: \(advice(service, camera))." }
        // A network of the camera's own is beside others, and may not be the one that leads to that address.
        let interface =
            AccessPoint.camera(at: camera.address.bytes) == nil ? "" : " --interface \(camera.interface)"
        return "tetherline camera info \(camera.host)\(interface)    # \(advice(service, camera))"
    }

    private static func advice(_ service: CameraService, _ camera: FoundCamera) -> String {
        camera.details.offersSSH
            ? "\(service.advice). It says that it takes connections by SSH" : service.advice
    }

    private static func members(_ camera: FoundCamera) -> [(key: String, value: JSONValue)] {
        [
            ("make", .optional(camera.make) { .string($0) }),
            ("model", .optional(camera.model) { .string($0) }),
            ("name", .optional(camera.name) { .string($0) }),
            ("serial", .optional(camera.details.serial) { .string($0) }),
            ("id", .string(camera.id)),
            ("address", .string("\(camera.address)")),
            ("port", .unsigned(UInt64(camera.port))),
            ("interface", .string(camera.interface)),
            ("services", .array(camera.services.map { .string($0.rawValue) })),
            ("speaksPTP", .bool(camera.speaksPTP)),
            ("next", .string(next(camera))),
        ]
    }

    // MARK: What to press

    /// What makes a body wait for a computer, by its make.
    private static let menus = [
        (
            make: "Canon",
            line:
                "Canon EOS  its Wi-Fi menu: add the connection 'Remote control (EOS Utility)', then 'start pairing'"
        ),
        (make: "Nikon", line: "Nikon Z    its network menu: 'Connect to computer'"),
        (make: "Sony", line: "Sony       its network menu: PC Remote"),
    ]

    /// Of every make, where it is not known.
    static func toPress(on make: String?) -> [String] {
        let make = make?.lowercased() ?? ""
        let own = menus.filter { make.contains($0.make.lowercased()) }
        return (own.isEmpty ? menus : own).map(\.line)
    }

    static func toPress(on camera: FoundCamera) -> [String] {
        guard let service = camera.best else { return toPress(on: camera.make) }
        return toPress(on: camera.make) + [advice(service, camera)]
    }

    // MARK: None

    private static func nothingFound(_ interfaces: [String]) -> [String] {
        wayToBeFound(interfaces) + [
            "Some networks keep their guests apart or carry no multicast; then, and for cameras that announce nothing,",
            "look up the address on the camera. On a camera's own network it is mostly this:",
            "  Nikon      tetherline camera info 192.168.1.1      (D and 1 series and WU-1 adapters announce nothing)",
            "  Sony       tetherline camera info 192.168.122.1",
        ]
    }

    /// Where none was found: what a camera has to be and to do so that one is.
    static func wayToBeFound(_ interfaces: [String]) -> [String] {
        let looked =
            interfaces.isEmpty
            ? "There is no network to look on: connect this computer to the camera's network."
            : "No camera has announced itself on \(interfaces.joined(separator: ", "))."
        return [
            Visible(looked).description,
            "The camera has to be on the same network, awake, its phone app disconnected, and waiting for a computer:",
        ] + menus.map { "  \($0.line)" }
    }
}
