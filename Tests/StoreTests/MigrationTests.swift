import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// Ledgers that older versions have left behind: what they knew is known, and nothing is done twice.
@Suite struct MigrationTests {
    func open(_ old: OldLedger) throws -> Ledger {
        try Ledger(path: old.path, executor: Threads.ledger, wall: FixedWall(), random: SeededSource(2))
    }

    @Test(
        "a stored ledger has photos and jobs in every state that its version knows",
        arguments: OldLedger.versions)
    func everyState(version: Int) throws {
        let old = try OldLedger(version)
        let captures = try #require(old.before["captures"])
        let jobs = try #require(old.before["upload_jobs"])
        func quoted(_ states: [String]) -> Set<String> { Set(states.map { "'\($0)'" }) }
        #expect(Set(captures.column("state")) == quoted(CaptureState.allCases.map(\.rawValue)))
        // The first version had no galleries, and nothing to take a job back with.
        let ofGalleries: [JobState] = version == 1 ? [.presigned, .uploadedAwaitingProcessing] : []
        let known = JobState.allCases.filter { !ofGalleries.contains($0) }
        #expect(Set(jobs.column("state")) == quoted(known.map(\.rawValue)))
        #expect(jobs.column("cancelled").contains("1") == (version > 1))
    }

    @Test(
        "every value of an older ledger is there when it has been opened, and nothing else",
        arguments: OldLedger.versions)
    func everyValue(version: Int) async throws {
        let old = try OldLedger(version)
        _ = try open(old)
        let after = try OldLedger.contents(old.path)
        #expect(Set(old.before.keys) == Set(OldLedger.tables(of: version)))
        for (name, table) in old.before {
            #expect(!table.rows.isEmpty, "\(name)")
            let kept = table.columns.filter { $0 != "handle" }
            #expect(after[name]?.only(kept).difference(from: table.only(kept)) == [], "\(name)")
        }
        let handles = try #require(old.before["captures"]?.column("handle"))
        let references = after["captures"]?.column("reference")
        // What was a number is now the same in words.
        if version < 3 {
            #expect(references == handles.map { handle in "'0x\(Self.eightDigits(handle))'" })
        }
        #expect(try Connection(path: old.path, .readOnly).problems() == [])
        #expect(try SchemaTests.schema(of: Connection(path: old.path, .readOnly)) == Self.schemaOfToday())
    }

    private static func eightDigits(_ number: String) -> String {
        let digits = String(Int(number) ?? -1, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static func schemaOfToday() throws -> String {
        let version = Schema.migrations.version
        return String(
            decoding: try readFile("\(SchemaTests.fixtures)/schema-\(version).sql"), as: UTF8.self)
    }

    @Test(
        "a reader shows an older ledger's photos with their jobs, receipts and hashes",
        arguments: OldLedger.versions)
    func read(version: Int) async throws {
        let old = try OldLedger(version)
        let event = try await open(old).event("wedding")
        let reader = try LedgerReader(path: old.path)
        var entries: [LedgerReader.Entry] = []
        try reader.captures(of: event.id) { entries.append($0) }
        #expect(Set(entries.map(\.state)) == Set(CaptureState.allCases))
        let first = try #require(entries.first)
        #expect(first.jobs[.completed] == 1 && first.jobs[.staged] == 1)
        #expect(first.receipts.map(\.url) == ["file:///a"])
        #expect(first.sha256 == sha(jpeg(1)) && first.path == "DCIM/100CANON/A.JPG")
        let staged = old.before["captures"]?.column("state").filter { $0 == "'staged'" }.count
        #expect(try reader.counts(of: event.id).captures[.staged] == staged)
        #expect(try await open(old).recall("key") == "value")
    }

    @Test(
        "photos that an older ledger knows are known when the camera lists them again",
        arguments: OldLedger.versions)
    func known(version: Int) async throws {
        let old = try OldLedger(version)
        let ledger = try open(old)
        let event = try await ledger.event("wedding")
        let camera = try await ledger.meet(LedgerGround.camera, at: "192.168.1.2")
        #expect(camera == CameraID(1))
        var card = ["A.JPG", "B.JPG", "C.JPG", "D.JPG", "E.JPG", "F.JPG", "G.JPG"].enumerated().map {
            offer($0.element, handle: UInt32(0x1000 + $0.offset))
        }
        card.append(offer("A.CR3", handle: 0x2000, format: 0xB108))
        // Another version of the program may have found out what the camera calls each of them for ever.
        for index in card.indices { card[index].stableID = "\(index)" }
        card[0].stableID = version >= 3 ? "000000000000000000000000000000a1" : "0"
        let sightings = card.map {
            Sighting(offer: $0, objection: $0.identity.name == "C.JPG" ? .older : nil)
        }
        let captures = try await ledger.record(sightings, of: camera, in: event, connection: "c2")
        #expect(captures.map(\.id.number) == [1, 3, 4, 5, 6, 7, 8, 2])
        #expect(
            captures.map(\.state) == [
                .staged, .duplicate, .filtered, .announced, .receiving, .announced, .announced, .staged,
            ])
        #expect(captures.allSatisfy { !$0.isNew })
        // Half of it is here, and is gone on with.
        #expect(captures[4].verified == 500 && captures[4].boot == "boot 1")
        let rows = try OldLedger.contents(old.path)["captures"]?.rows.count
        #expect(rows == old.before["captures"]?.rows.count)
    }

    @Test(
        "what an older ledger has delivered is not delivered again; the rest is, once",
        arguments: OldLedger.versions)
    func delivered(version: Int) async throws {
        let old = try OldLedger(version)
        let ledger = try open(old)
        let event = try await ledger.event("wedding")
        for destination in try await ledger.destinations(of: event) {
            _ = try await ledger.destination(destination.url, kind: destination.kind, of: event)
        }
        _ = try await ledger.rescueJobs()
        var claimed: [String] = []
        for destination in try await ledger.destinations(of: event) {
            claimed += try await ledger.claim(1000, to: destination.id).map(\.key)
            claimed += try await ledger.claimSent(1000, to: destination.id).map(\.key)
        }
        let jobs = try #require(old.before["upload_jobs"]).only([
            "key", "state", "capture_id", "destination_id",
        ])
        let settled = ["'completed'", "'failedPermanent'"]
        let open = jobs.rows.filter { !settled.contains($0[1]) }.map { String($0[0].dropFirst().dropLast()) }
        let known = Set(jobs.column("key"))
        let after = try #require(try OldLedger.contents(old.path)["upload_jobs"])
        // A destination that is named again gets what it has no job for, and nothing else.
        let added = after.only(["key", "capture_id", "destination_id"]).rows.filter { !known.contains($0[0]) }
        let before = Set(jobs.rows.map { $0.suffix(2) })
        #expect(added.allSatisfy { !before.contains($0.suffix(2)) })
        let more = added.map { String($0[0].dropFirst().dropLast()) }
        #expect(claimed.sorted() == (open + more).sorted())
        #expect(!open.isEmpty && Set(claimed).count == claimed.count)
    }

    @Test(
        "each camera's deliveries are counted when an older ledger has been opened",
        arguments: OldLedger.versions)
    func cameraCounts(version: Int) throws {
        let old = try OldLedger(version)
        _ = try open(old)
        let look = try Connection(path: old.path, .readOnly)
        let counted = try look.all(Self.countedByHand) { try $0.get(0, as: String.self) }
        #expect(!counted.isEmpty)
        #expect(try look.all(Self.countsKept) { try $0.get(0, as: String.self) } == counted)
    }

    static let countedByHand = """
        SELECT j.event_id || ' ' || c.camera_id || ' ' || iif(j.cancelled, 'cancelled', j.state) || ' ' || count(*) AS line
        FROM upload_jobs j JOIN captures c ON c.id = j.capture_id WHERE c.camera_id IS NOT NULL
        GROUP BY j.event_id, c.camera_id, iif(j.cancelled, 'cancelled', j.state) ORDER BY line
        """
    static let countsKept = """
        SELECT event_id || ' ' || camera_id || ' ' || state || ' ' || number AS line FROM camera_counts
        WHERE number > 0 ORDER BY line
        """

    @Test("what an older version could not know is nothing, and can be learned", arguments: [1, 2])
    func additions(version: Int) async throws {
        let old = try OldLedger(version)
        let ledger = try open(old)
        let camera = LedgerGround.camera
        // Whether what it was called is a serial number is unknown: another one is no contradiction.
        let body = try #require(try await ledger.body(camera))
        #expect(body == KnownBody(identity: camera, driver: ""))
        #expect(try await ledger.bodies(at: "192.168.1.2") == [body])
        #expect(!body.contradicts(camera, serial: "7"))
        let captures = try #require(try OldLedger.contents(old.path)["captures"])
        for column in ["stable_id", "doubts"] {
            #expect(captures.column(column).allSatisfy { $0 == "NULL" }, "\(column)")
        }
        for column in ["cost_connections", "cost_bytes", "cost_ms"] {
            #expect(captures.column(column).allSatisfy { $0 == "0" }, "\(column)")
        }
        try await ledger.learn(StoredLedger.learned)
        #expect(try await ledger.body(camera) == StoredLedger.learned)
    }

    @Test("what the third version wrote of costs, doubts and bodies is read as it was meant")
    func ofVersionThree() async throws {
        let old = try OldLedger(3)
        let ledger = try open(old)
        let event = try await ledger.event("wedding")
        let camera = try await ledger.meet(LedgerGround.camera, at: "192.168.1.3")
        #expect(try await ledger.bodies(at: "192.168.1.3") == [StoredLedger.learned])
        let again = Sighting(offer: offer("E.JPG", handle: 0x77), objection: nil)
        let capture = try await ledger.record([again], of: camera, in: event, connection: "c2").first
        #expect(capture?.cost == FailedFetchCost(connections: 2, bytes: 900, time: .milliseconds(1500)))
        var doubtful: [String: Set<PhotoDoubt>] = [:]
        try LedgerReader(path: old.path).captures(of: event.id) { entry in
            if !entry.doubts.isEmpty { doubtful[entry.path] = entry.doubts }
        }
        #expect(doubtful == ["DCIM/100CANON/H.JPG": [.beginning, .size]])
    }

    @Test("a ledger of a newer version is refused with what to do, and not a byte of it changes")
    func newer() throws {
        let now = Schema.migrations.version
        let old = try OldLedger(now)
        try Connection(path: old.path, .readWrite).script("PRAGMA user_version = \(now + 1)")
        let before = try readFile(old.path)
        let refusal = #expect(throws: Refusal.self) { try open(old) }
        #expect(
            refusal?.description.contains(
                "was made by a newer Tetherline (version \(now + 1), this one knows \(now))") == true)
        #expect(refusal?.description.contains("Use the newer program, or name another home.") == true)
        #expect(try readFile(old.path) == before)
    }

    @Test(
        "a command that only reads says how an older ledger is brought up to date",
        arguments: OldLedger.versions.dropLast())
    func older(version: Int) throws {
        let old = try OldLedger(version)
        let before = try readFile(old.path)
        let refusal = #expect(throws: Refusal.self) { try LedgerReader(path: old.path) }
        #expect(
            refusal?.description.contains(
                "of version \(version), this program reads \(Schema.migrations.version): start 'tetherline run' once"
            )
                == true)
        #expect(try readFile(old.path) == before)
    }
}
