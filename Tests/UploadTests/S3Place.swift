import Basics
import Bridge
import HTTPClient
import Posix
import TestSupport
import Upload
import WorldSupport

/// A bucket of a real store, and a destination that delivers into it.
final class S3Place: Sendable {
    let store: SeaweedFS
    let bucket: String
    let spool: TestSpool
    let destination: S3Destination
    let notes = Notebook()
    let moved = Shared<UInt64>(0)
    private let network: Network
    var clock: GalleryClock { network.storeClock }

    init(
        _ spool: TestSpool, prefix: String = "", query: String = "", environment: [String: String] = [:],
        bucket: String? = nil, wall: any WallTime = SystemWallTime(),
        over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws {
        store = try SeaweedFS.shared.get()
        self.bucket = try bucket ?? store.makeBucket()
        self.spool = spool
        network = try Network()
        let url = "s3://\(self.bucket)\(prefix)\(query)"
        destination = S3Destination(
            id: DestinationID(1), url: url, try S3Address(url),
            environment: store.environment.merging(environment) { $1 },
            means: network.means(spool, wall: wall, http: wrap(network.http), moved: moved), notes: notes,
            thread: network.thread)
    }

    func deliver(_ job: Job) async -> DeliveryOutcome { await destination.deliver(job) }

    /// As the store's own door shows it.
    func list(_ folder: String = "") throws -> [(name: String, size: UInt64)] {
        let path = "/buckets/\(bucket)/\(folder)"
        let answer = try store.curl([
            "-H", "Accept: application/json",
            "\(store.filer)\(PercentEncoding.encoded(path, keeping: "/"))?limit=1000",
        ])
        guard case .array(let entries) = try JSON5.parse(answer)["Entries"] else { return [] }
        return try entries.flatMap { entry -> [(name: String, size: UInt64)] in
            guard case .string(let whole) = entry["FullPath"] else { return [] }
            let name = String(whole.dropFirst("/buckets/\(bucket)/".count))
            let isFolder = entry["Mode"].map { "\($0.compact)" }.flatMap(UInt64.init).map {
                $0 >> 31 & 1 == 1
            }
            if isFolder == true { return try list("\(name)/") }
            return [(name, entry["FileSize"].flatMap { UInt64($0.compact) } ?? 0)]
        }
    }

    var sizes: [String: UInt64] {
        var problem = ""
        // A store that is busy may fail to list, which says nothing about what lies there.
        for _ in 0..<5 {
            do {
                let all = try list().filter { !$0.name.hasPrefix(".uploads/") }
                return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.size) })
            } catch {
                problem = "\(error)"
            }
        }
        return [problem: 0]
    }

    /// Parts of what is not whole yet.
    var unfinished: [String] {
        do {
            return try list().map(\.name).filter { $0.hasPrefix(".uploads/") }
        } catch {
            return ["\(error)"]
        }
    }

    func bytes(_ name: String) throws -> [UInt8] {
        try store.curl([
            "\(store.filer)\(PercentEncoding.encoded("/buckets/\(bucket)/\(name)", keeping: "/"))"
        ])
    }

    func overwrite(_ name: String, _ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        try folder.write(bytes, to: "other")
        try store.curl([
            "-F", "file=@\(folder.file("other"))",
            "\(store.filer)\(PercentEncoding.encoded("/buckets/\(bucket)/\(name)", keeping: "/"))",
        ])
    }

    func remove(_ name: String) throws {
        try store.curl([
            "-X", "DELETE",
            "\(store.filer)\(PercentEncoding.encoded("/buckets/\(bucket)/\(name)", keeping: "/"))?recursive=true",
        ])
    }

    func place() -> DestinationPlace {
        DestinationPlace(
            destination: destination, sizes: { self.sizes }, bytes: { try self.bytes($0) },
            unfinished: { self.unfinished }, overwrite: { try self.overwrite($0, $1) },
            clear: {
                for name in self.sizes.keys {
                    do { try self.remove(name) } catch { continue }
                }
            }, goesOn: true)
    }
}

/// What a destination in the network needs, and its end.
final class Network: Sendable {
    let http: CurlClient
    let storeClock = GalleryClock()
    let thread = ThreadExecutor(name: "deliver")

    init() throws {
        http = try CurlClient()
    }

    deinit {
        thread.shutDown()
        let http = http
        Task { await http.shutDown() }
    }

    func means(
        _ spool: TestSpool, wall: any WallTime = SystemWallTime(), http: (any HTTPTransport)? = nil,
        moved: Shared<UInt64>
    ) -> DeliveryMeans {
        DeliveryMeans(
            spool: spool.path, http: http ?? self.http, time: ManualClock(), wall: wall,
            random: SystemRandomSource(), storeClock: storeClock,
            onMoved: { _, count in moved.change { $0 += count } })
    }
}

/// What jobs remember, as the ledger would keep it.
final class Notebook: JobNotes {
    let notes = Shared<[JobID: String]>([:])

    func note(_ text: String?, of job: JobID) async throws {
        notes.change { $0[job] = text }
    }
}

extension JSONValue {
    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
