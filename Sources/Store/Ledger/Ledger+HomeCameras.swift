import Basics
package import Bridge
import Database

/// A camera of the home: one that was met, or that the operator has added.
package struct HomeCamera: Equatable, Sendable {
    /// As the operator calls it.
    package var name: String?
    /// As it announced itself; where it was met its ``body`` says it.
    package var model: String?
    package var serial: String?
    /// What it announces itself as: `uuid:…` of SSDP, or an instance of mDNS.
    package var announced: String?
    /// Where it was last, or where the operator says that it is: `192.168.1.5:15740`.
    package var place: String?
    package var isAddedByPlace = false
    /// It has let this computer in at that place, at the operator's wish and before a run met it.
    package var hasLetIn = false
    /// Who it is; nothing before it has been met.
    package var body: CameraIdentity?
    /// What it called itself on the wire when it was met.
    package var wireID: String?

    package init() {}

    /// What tells it from the others of the home.
    package var key: String { body?.key ?? "\(announced ?? place ?? "")" }
}

/// What the ledger keeps of the home's cameras beside the bodies that were met: names, announcements, cameras that were
/// added and not met yet, and those that the operator has removed. It lies in one row of the table of states, which every
/// version of the ledger has.
private struct HomeCameraNote {
    var camera: HomeCamera
    var isRemoved = false

    static let key = "cameras"
    /// A rental house has fewer.
    static let most = 500

    init(_ camera: HomeCamera) { self.camera = camera }

    init(_ json: JSONValue) {
        var camera = HomeCamera()
        camera.name = json["name"]?.string
        camera.model = json["model"]?.string
        camera.serial = json["serial"]?.string
        camera.announced = json["announced"]?.string
        camera.place = json["place"]?.string
        camera.isAddedByPlace = json["addedByPlace"]?.bool ?? false
        camera.hasLetIn = json["letIn"]?.bool ?? false
        let body = (json["body"]?.array ?? []).compactMap(\.string)
        if body.count == 3 {
            camera.body = CameraIdentity(manufacturer: body[0], model: body[1], body: body[2])
        }
        self.camera = camera
        isRemoved = json["removed"]?.bool ?? false
    }

    var json: JSONValue {
        .object([
            (key: "name", value: .optional(camera.name, JSONValue.string)),
            (key: "model", value: .optional(camera.model, JSONValue.string)),
            (key: "serial", value: .optional(camera.serial, JSONValue.string)),
            (key: "announced", value: .optional(camera.announced, JSONValue.string)),
            (key: "place", value: .optional(camera.place, JSONValue.string)),
            (key: "addedByPlace", value: .bool(camera.isAddedByPlace)),
            (key: "letIn", value: .bool(camera.hasLetIn)),
            (
                key: "body",
                value: .optional(camera.body) {
                    .array([$0.manufacturer, $0.model, $0.body].map(JSONValue.string))
                }
            ),
            (key: "removed", value: .bool(isRemoved)),
        ])
    }

    static func all(in database: Connection) throws -> [HomeCameraNote] {
        let text = try database.first("SELECT value FROM state WHERE key = ?", key) { row in
            try row.get(0, as: String.self)
        }
        guard let text else { return [] }
        return (try JSON5.parse(text).array ?? []).map(HomeCameraNote.init)
    }
}

extension Ledger {
    /// The table has too many rows for one more.
    package struct TooManyCameras: Error, CustomStringConvertible {
        package var description: String {
            "this home knows \(HomeCameraNote.most) cameras; remove some of them with 'tetherline camera remove'."
        }
    }

    package func homeCameras() throws -> [HomeCamera] { try LedgerReader.homeCameras(in: database) }

    /// Has it as it is told, in the place of the one with the key that is given. What was removed is back.
    package func keep(_ camera: HomeCamera, insteadOf key: String? = nil) throws {
        var notes = try HomeCameraNote.all(in: database)
        let index =
            notes.firstIndex { $0.camera.key == key } ?? notes.firstIndex { $0.camera.key == camera.key }
        if let index { notes.remove(at: index) }
        notes.removeAll { $0.camera.key == camera.key }
        guard notes.count < HomeCameraNote.most else { throw TooManyCameras() }
        notes.insert(HomeCameraNote(camera), at: min(index ?? notes.count, notes.count))
        try write(notes)
    }

    /// A body's photos stay, and so does what was learned of it.
    package func remove(_ camera: HomeCamera) throws {
        var notes = try HomeCameraNote.all(in: database)
        notes.removeAll { $0.camera.key == camera.key }
        if let body = camera.body {
            var note = HomeCameraNote(HomeCamera())
            note.camera.body = body
            note.isRemoved = true
            notes.append(note)
        }
        try write(notes)
    }

    private func write(_ notes: [HomeCameraNote]) throws {
        try remember(HomeCameraNote.key, JSONValue.array(notes.map(\.json)).compact)
    }
}

extension LedgerReader {
    package func homeCameras() throws -> [HomeCamera] { try Self.homeCameras(in: database) }

    /// Those that were met, the latest first, then those that were added and not met yet.
    static func homeCameras(in database: Connection) throws -> [HomeCamera] {
        let notes = try HomeCameraNote.all(in: database)
        let met = try database.all(
            "SELECT manufacturer, model, body, learned, address FROM cameras ORDER BY last_seen DESC, id"
        ) { row -> HomeCamera? in
            let body = try KnownBody(row: row)
            let note = notes.first { $0.camera.body == body.identity }
            guard note?.isRemoved != true else { return nil }
            var camera = note?.camera ?? HomeCamera()
            camera.body = body.identity
            camera.model = body.identity.model
            camera.serial = body.serial ?? body.identity.body
            camera.wireID = body.wireID
            camera.place = try row.get(4)
            return camera
        }
        return met.compactMap { $0 } + notes.filter { $0.camera.body == nil }.map(\.camera)
    }
}
