import Basics
package import Bridge
import Database

/// Bodies that bear one serial number: whose photos are whose.
extension Ledger {
    package func hasPhotos(of camera: CameraIdentity) throws -> Bool {
        try database.first(
            """
            SELECT EXISTS (SELECT 1 FROM captures c JOIN cameras m ON m.id = c.camera_id
                WHERE m.key = ? AND c.sha256 IS NOT NULL AND c.identity IS NOT NULL)
            """, camera.key
        ) { row in try row.get(0, as: Bool.self) } ?? false
    }

    package func digests(ofPhotosLike offer: Offer, of camera: CameraIdentity) throws -> Set<String> {
        guard let key = offer.key(of: camera) else { return [] }
        let found = try database.all(
            """
            SELECT sha256 FROM captures WHERE event_id IN (SELECT id FROM events) AND identity = ?
                AND sha256 IS NOT NULL AND doubts IS NULL AND deleted_at IS NULL
            """, key
        ) { row in try row.get(0, as: String.self) }
        return Set(found)
    }

    package func adopt(_ offers: [Offer], by camera: CameraID, _ adoption: Adoption) throws {
        try database.transaction {
            for offer in offers {
                guard let key = offer.key else { continue }
                for namesake in adoption.namesakes where namesake != offer.identity.camera {
                    guard let theirs = offer.key(of: namesake) else { continue }
                    try database.run(
                        """
                        UPDATE captures SET identity = ?1, camera_id = ?2, wire_id = coalesce(?3, wire_id)
                        WHERE event_id IN (SELECT id FROM events) AND identity = ?4
                            AND (wire_id = ?3 OR (?5 AND wire_id IS NULL))
                            AND NOT EXISTS (SELECT 1 FROM captures o
                                WHERE o.event_id = captures.event_id AND o.identity = ?1)
                        """, key, camera, adoption.wireID, theirs, adoption.proven.contains(namesake))
                }
            }
        }
    }

    private static func adoptionKey(_ camera: CameraIdentity) -> String { "adoption.\(camera.key)" }

    package func note(pending adoption: Adoption?, by camera: CameraIdentity) throws {
        if let adoption {
            try remember(Self.adoptionKey(camera), adoption.json.compact)
        } else {
            try forget(Self.adoptionKey(camera))
        }
    }

    package func pendingAdoption(by camera: CameraIdentity) throws -> Adoption? {
        try recall(Self.adoptionKey(camera)).map { Adoption(json: try JSON5.parse($0)) }
    }
}

extension Offer {
    /// What a photo that looks the same is known by where it is that camera's.
    fileprivate func key(of camera: CameraIdentity) -> String? {
        var theirs = self
        theirs.identity.camera = camera
        return theirs.key
    }
}
