import Basics
package import Bridge
import Database

/// The bodies that have been met, and what was learned of each.
extension Ledger {
    package func meet(_ camera: CameraIdentity, at address: String) throws -> CameraID {
        try database.run(
            """
            INSERT INTO cameras (key, manufacturer, model, body, address, first_seen, last_seen)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET address = excluded.address, last_seen = excluded.last_seen
            """, camera.key, camera.manufacturer, camera.model, camera.body, address, wall.wallNow,
            wall.wallNow)
        let id = try database.first("SELECT id FROM cameras WHERE key = ?", camera.key) { row in
            try row.get(0, as: CameraID.self)
        }
        guard let id else { preconditionFailure("a row that was just written is there") }
        return id
    }

    package func bodies(at address: String) throws -> [KnownBody] {
        try database.all(
            """
            SELECT manufacturer, model, body, learned FROM cameras WHERE address = ? ORDER BY last_seen DESC, id DESC
            """, address, as: KnownBody.init(row:))
    }

    package func body(_ camera: CameraIdentity) throws -> KnownBody? {
        try database.first(
            "SELECT manufacturer, model, body, learned FROM cameras WHERE key = ?", camera.key,
            as: KnownBody.init(row:))
    }

    package func bodies(like body: KnownBody, at address: String) throws -> [KnownBody] {
        try LedgerReader.bodies(like: body, at: address, in: database)
    }

    package func learn(_ body: KnownBody) throws {
        try database.run(
            "UPDATE cameras SET learned = ? WHERE key = ?", body.json.compact, body.identity.key)
    }
}

/// Where an event's last run was told to look for its cameras, whether one was ever there or not: a camera that was never
/// reached is one whose frames are unknown.
extension Ledger {
    fileprivate static func placesKey(_ event: String) -> String { "places.\(event)" }

    package func note(cameraPlaces: [String], of event: BridgeEvent) throws {
        try remember(Self.placesKey(event.id), JSONValue.array(cameraPlaces.map { .string($0) }).compact)
    }
}

extension LedgerReader {
    package func cameraPlaces(of event: String) throws -> [String] {
        guard let text = try recall(Ledger.placesKey(event)) else { return [] }
        return (try JSON5.parse(text).array ?? []).compactMap(\.string)
    }
}

extension LedgerReader {
    package func bodies(like body: KnownBody, at address: String) throws -> [KnownBody] {
        try Self.bodies(like: body, at: address, in: database)
    }

    /// One without a serial number is like none but the body of its name, and the one that was told apart by this address.
    static func bodies(
        like body: KnownBody, at address: String, in database: Connection
    ) throws -> [KnownBody] {
        let apart = body.serial == nil ? body.identity.told(apartBy: address).key : nil
        return try database.all(
            """
            SELECT manufacturer, model, body, learned FROM cameras
            WHERE key IN (?1, ?2) OR (manufacturer = ?3 AND model = ?4 AND json_extract(learned, '$.serial') = ?5)
            ORDER BY key IS ?2 DESC, address = ?6 DESC, last_seen DESC, id
            """, body.identity.key, apart, body.identity.manufacturer, body.identity.model, body.serial,
            address, as: KnownBody.init(row:))
    }
}

extension KnownBody {
    init(row: Row) throws {
        let identity = CameraIdentity(
            manufacturer: try row.get(0), model: try row.get(1), body: try row.get(2))
        guard let learned = try row.get(3, as: String?.self) else {
            // Met by a version that noted no more: whether its name is a serial number is not known.
            self.init(identity: identity, driver: "")
            return
        }
        self.init(identity: identity, json: try JSON5.parse(learned))
    }
}
