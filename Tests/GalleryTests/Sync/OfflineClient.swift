import Basics
import Bridge
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// A client as an app would be: it changes its own copy at any time, by a clock that is not right, and syncs when it can.
/// What it has and what it is told it merges by the same rule as the server.
struct OfflineClient {
    struct Record: Equatable {
        let type: String
        var data: JSONValue
        var version: RecordVersion
        var isDirty = false

        static func == (left: Record, right: Record) -> Bool {
            left.type == right.type && left.version == right.version
                && (left.version.deletedAt != nil || left.data == right.data)
        }
    }

    let ground: SyncGround
    /// How far its clock is ahead.
    let skew: Duration
    private(set) var records: [String: Record] = [:]
    private var last: JSONValue = .null

    init(_ ground: SyncGround, skew: Duration) {
        self.ground = ground
        self.skew = skew
    }

    var isDirty: Bool { records.values.contains { $0.isDirty } }
    private var now: Timestamp { ground.now + skew }

    // MARK: Offline

    mutating func act(_ random: inout Seeded, newID: () -> String) {
        let there = records.filter { $0.value.version.deletedAt == nil }.sorted { $0.key < $1.key }
        let events = there.filter { $0.value.type == "event" }.map(\.key)
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            put(newID(), "event", ["name": .string("Event \(random.next() % 100)"), "startsAt": .null])
        case 1:
            guard let event = events.randomElement(using: &random) else { return }
            put(
                newID(), "album",
                ["eventId": .string(event), "name": "Album", "order": .integer(Int64(random.next() % 9))])
        case 2:
            guard let (id, record) = there.randomElement(using: &random), random.chance(50) else { return }
            records[id] = Record(
                type: record.type, data: record.data,
                version: RecordVersion(updatedAt: now, deletedAt: now), isDirty: true)
        default:
            guard let (id, record) = there.randomElement(using: &random) else { return }
            put(id, record.type, changed(record, &random))
        }
    }

    private mutating func put(_ id: String, _ type: String, _ data: JSONValue) {
        records[id] = Record(
            type: type, data: data, version: RecordVersion(updatedAt: now), isDirty: true)
    }

    private func changed(_ record: Record, _ random: inout Seeded) -> JSONValue {
        let number = random.next() % 100
        let news: [String: JSONValue] =
            record.type == "photo"
            ? ["caption": .string("Caption \(number)"), "rating": .integer(Int64(number % 6))]
            : ["name": .string("Name \(number)")]
        return .object(
            (record.data.members ?? []).map { (key: $0.key, value: news[$0.key] ?? $0.value) })
    }

    // MARK: Online

    /// What happens to one exchange with the server.
    enum Luck { case fine, requestLost, answerLost }

    mutating func sync(_ luck: Luck, meanwhile: (inout OfflineClient) -> Void = { _ in }) async throws {
        let sent = records.filter { $0.value.isDirty }
        guard luck != .requestLost else { return }
        var isMore = true
        var isFirst = true
        while isMore {
            let reply = try await ground.sync(isFirst ? change(sent) : [], since: last)
            if isFirst { meanwhile(&self) }
            guard luck != .answerLost else { return }
            if isFirst { settle(sent, reply) }
            take(reply)
            isFirst = false
            isMore = reply.isMore
        }
    }

    private func change(_ sent: [String: Record]) -> [JSONValue] {
        sent.sorted { $0.key < $1.key }.map { id, record in
            let isDelete = record.version.deletedAt != nil
            return ground.change(
                record.type, id, isDelete ? nil : record.data, at: record.version.updatedAt)
        }
    }

    /// What was sent and has not changed since is the server's business now; what it refused is not kept.
    private mutating func settle(_ sent: [String: Record], _ reply: SyncReply) {
        let refused = Set(reply.rejected.compactMap { $0["id"]?.string })
        for (id, record) in sent where records[id]?.version == record.version {
            if refused.contains(id) { records[id] = nil } else { records[id]?.isDirty = false }
        }
    }

    private mutating func take(_ reply: SyncReply) {
        for change in reply.changes {
            guard let id = change["id"]?.string, let told = Self.record(change) else { continue }
            if let own = records[id], own.isDirty {
                let mine = RecordChange(
                    own.version.deletedAt == nil ? .upsert : .delete, updatedAt: own.version.updatedAt)
                let verdict = MergeRule.verdict(
                    on: mine, over: told.version, at: nil, mayReturn: own.type != "photo")
                if verdict == .accepted { continue }
            }
            records[id] = told
        }
        last = reply.timestamp
    }

    static func record(_ change: JSONValue) -> Record? {
        func time(_ name: String) -> Timestamp? {
            change[name]?.string.flatMap { Timestamp(rfc3339: $0) }
        }
        guard let type = change["type"]?.string, let updatedAt = time("updatedAt") else { return nil }
        return Record(
            type: type, data: change["data"] ?? [:],
            version: RecordVersion(updatedAt: updatedAt, deletedAt: time("deletedAt")))
    }
}
