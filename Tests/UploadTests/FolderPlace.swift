import Bridge
import Glibc
import Posix
import TestSupport
import Upload
import WorldSupport

/// A folder destination in a folder of the test's own.
final class FolderPlace: Sendable {
    let top: TemporaryFolder
    let spool: TestSpool
    let destination: FolderDestination
    /// Bytes of which it said that they have gone.
    let moved = Shared<UInt64>(0)
    private let threads = (0..<2).map { ThreadExecutor(name: "deliver-\($0)") }

    init(_ spool: TestSpool, query: String = "", below: String = "") throws {
        top = try TemporaryFolder()
        self.spool = spool
        let url = FolderAddress.url(path: top.path + below, template: nil) + query
        destination = FolderDestination(
            id: DestinationID(1), url: url, try FolderAddress(url), spool: spool.path,
            executors: threads, onMoved: { [moved] _, count in moved.change { $0 += count } })
    }

    deinit {
        for thread in threads { thread.shutDown() }
    }

    private static func isFinal(_ path: String) -> Bool {
        !path.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    var names: [String] { top.contents().filter(Self.isFinal) }
    var unfinished: [String] { top.contents().filter { !Self.isFinal($0) } }

    func bytes(_ name: String) throws -> [UInt8] { try readFile(top.file(name)) }

    func facts(_ name: String) -> stat {
        var facts = stat()
        stat(top.file(name), &facts)
        return facts
    }

    func deliver(_ job: Job) async -> DeliveryOutcome { await destination.deliver(job) }

    /// For the claims that hold for every kind.
    func place(isInstant: Bool) -> DestinationPlace {
        DestinationPlace(
            destination: destination,
            sizes: {
                Dictionary(
                    uniqueKeysWithValues: self.names.map { ($0, UInt64(self.facts($0).st_size)) })
            },
            bytes: { try self.bytes($0) }, unfinished: { self.unfinished },
            overwrite: { try self.top.write($1, to: $0) },
            clear: { for name in self.names { unlink(self.top.file(name)) } },
            put: { try self.top.write($1, to: $0) }, isInstant: isInstant)
    }
}

extension DeliveryOutcome {
    var receipt: Receipt? {
        if case .delivered(let receipt) = self { receipt } else { nil }
    }

    /// What keeps the whole destination from taking photos.
    var hold: String? {
        switch self {
        case .destinationFailed(let problem, _), .notThere(let problem), .cut(let problem): problem
        default: nil
        }
    }
}
