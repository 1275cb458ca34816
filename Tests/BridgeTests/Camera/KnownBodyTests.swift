import Basics
import Bridge
import Testing

@Suite struct KnownBodyTests {
    private static let identity = CameraIdentity(manufacturer: "Canon", model: "R5", body: "42")

    private static let full: KnownBody = {
        var body = KnownBody(identity: identity, driver: "generic", port: 15740, serial: "42")
        (body.wireID, body.pairing) = ("00:11", "key")
        body.traits = ["parts": "refused", "session": "7"]
        return body
    }()
    private static let changing: KnownBody = {
        var body = full
        body.shows("00:12", after: full)
        return body
    }()

    @Test(
        "what is kept of a body comes back",
        arguments: [full, changing, KnownBody(identity: identity, driver: "generic")])
    func roundTrip(_ body: KnownBody) throws {
        let kept = try JSON5.parse(body.json.compact)
        #expect(KnownBody(identity: body.identity, json: kept) == body)
    }

    @Test("a body that showed another GUID than before changes it, until two connections show the same")
    func changesItsGUID() {
        #expect(!Self.full.changesWireID && Self.changing.changesWireID)
        var body = Self.changing
        body.shows("00:12", after: Self.changing)
        #expect(!body.changesWireID && body.ownWireID == "00:12")
        // One that tells nothing has not changed.
        var zeros = Self.full
        zeros.shows("00:00", after: Self.full)
        #expect(!zeros.changesWireID)
    }

    @Test("what an older version kept has fewer facts, what a newer one kept has more, and each counts")
    func otherVersions() throws {
        let cases: [(String, KnownBody)] = [
            ("{}", KnownBody(identity: Self.identity, driver: "")),
            (#"{"driver": "canon", "port": 70000}"#, KnownBody(identity: Self.identity, driver: "canon")),
            (
                #"{"driver": "generic", "firmware": [1, 2], "traits": {"parts": "refused", "moods": {"a": 1}, "x": "y"}}"#,
                KnownBody(identity: Self.identity, driver: "generic", traits: ["parts": "refused", "x": "y"])
            ),
            (
                #"{"driver": 5, "serial": null, "traits": "none"}"#,
                KnownBody(identity: Self.identity, driver: "")
            ),
        ]
        for (text, expected) in cases {
            #expect(KnownBody(identity: Self.identity, json: try JSON5.parse(text)) == expected, "\(text)")
        }
    }

    @Test(
        "another maker, model or serial number is another body; without a serial number the two cannot be told apart"
    )
    func contradicts() {
        let same = Self.identity
        let cases: [(CameraIdentity, String?, Bool)] = [
            (same, "42", false), (same, "43", true), (same, nil, false),
            (CameraIdentity(manufacturer: "Nikon", model: "R5", body: "42"), "42", true),
            (CameraIdentity(manufacturer: "Canon", model: "R6", body: "42"), "42", true),
            (CameraIdentity(manufacturer: "Canon", model: "R5", body: "guid"), "42", false),
        ]
        for (other, serial, isOther) in cases {
            #expect(Self.full.contradicts(other, serial: serial) == isOther, "\(other), \(serial ?? "none")")
        }
        var unnumbered = Self.full
        unnumbered.serial = nil
        #expect(!unnumbered.contradicts(same, serial: "43"))
    }
}
