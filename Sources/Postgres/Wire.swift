import Basics
import CPostgres
import Database
import Glibc

/// One connection of libpq's, on the thread of its owner, which it blocks: but never for longer than it was told.
final class Wire {
    let handle: OpaquePointer
    let place: String
    private let now: () -> Duration
    /// The server's, when it was taken for the primary.
    var timeline: Int64 = 0
    /// Nothing where none may be kept.
    var prepared: PreparedStatements?
    /// Something was sent, and not all of its answer has come.
    private(set) var isAnswering = false
    /// What a connection that is being made waits for. The first wait is for writing, whatever is said of that.
    private(set) var isReading = false

    /// A connection that is ready for statements.
    convenience init(
        to candidate: PostgresAddress.Candidate, within patience: Duration, now: @escaping () -> Duration
    ) throws(PostgresError) {
        try self.init(beginning: candidate, now: now)
        let deadline = now() + patience
        repeat { try wait(forReading: isReading, until: deadline, sql: nil) } while try !advance()
    }

    /// ``advance()`` brings it on.
    init(
        beginning candidate: PostgresAddress.Candidate, now: @escaping () -> Duration
    ) throws(PostgresError) {
        place = candidate.name
        self.now = now
        let started = PostgresAddress.start(candidate.keywords, candidate.values)
        guard let started else {
            throw PostgresError.lost("there is no memory for a connection", place: candidate.name)
        }
        handle = started
        tl_pq_ignore_notices(started)
        guard isBegun else { throw failed(nil) }
    }

    private var isBegun: Bool { PQstatus(handle) != CONNECTION_BAD }

    /// Once what it waits for has come. Says whether it is ready for statements.
    func advance() throws(PostgresError) -> Bool {
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_OK:
            PQsetnonblocking(handle, 1)
            return true
        case PGRES_POLLING_READING: isReading = true
        case PGRES_POLLING_WRITING: isReading = false
        default: throw failed(nil)
        }
        guard isBegun else { throw failed(nil) }
        return false
    }

    deinit {
        PQfinish(handle)
    }

    /// As far as is known.
    var isOpen: Bool { PQstatus(handle) == CONNECTION_OK }

    /// What the library says of the connection.
    private func failed(_ sql: String?) -> PostgresError {
        let text = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        return .lost(text.isEmpty ? "the connection ended" : text, sql: sql, place: place)
    }

    private func wait(forReading: Bool, until deadline: Duration, sql: String?) throws(PostgresError) {
        guard try isReady(forReading: forReading, by: deadline, sql: sql) else {
            throw PostgresError.lost("it does not answer", sql: sql, place: place)
        }
    }

    private func isReady(
        forReading: Bool, by deadline: Duration, sql: String?
    ) throws(PostgresError) -> Bool {
        let socket = PQsocket(handle)
        guard socket >= 0 else { throw failed(sql) }
        while true {
            let left = (deadline - now()).wholeMilliseconds
            guard left > 0 else { return false }
            var entry = pollfd(fd: socket, events: Int16(forReading ? POLLIN : POLLOUT), revents: 0)
            let count = poll(&entry, 1, Int32(clamping: left))
            if count > 0 { return true }
            if count < 0, errno != EINTR { throw failed(sql) }
        }
    }

    // MARK: Statements

    /// How answers are asked for: see ``BinaryValue``.
    private static let binary: Int32 = 1

    /// Several statements without values, as one message. What they answer is not read.
    func script(_ sql: String, within patience: Duration) throws(PostgresError) {
        guard PQsendQuery(handle, sql) == 1 else { throw failed(sql) }
        _ = try results(of: sql, within: patience)
    }

    /// The same without waiting for the answer: ``finish(_:within:)`` does, before anything else is sent.
    func send(_ sql: String, within patience: Duration) throws(PostgresError) {
        guard PQsendQuery(handle, sql) == 1 else { throw failed(sql) }
        try flush(sql, until: now() + patience)
    }

    /// One statement with its values.
    func run(_ sql: String, _ values: [Value], within patience: Duration) throws(PostgresError) -> Answer {
        let bound = BoundValues(values)
        let name: String?
        switch prepared?.use(sql, bound.types) ?? .plain {
        case .plain: name = nil
        case .known(let known): name = known
        case .new(let new):
            try prepare(sql, as: new, bound.types, within: patience)
            name = new
        }
        let count = Int32(values.count)
        let isSent = bound.withPointers { types, texts, lengths, formats in
            if let name {
                PQsendQueryPrepared(handle, name, count, texts, lengths, formats, Self.binary)
            } else {
                PQsendQueryParams(handle, sql, count, types, texts, lengths, formats, Self.binary)
            }
        }
        guard isSent == 1 else { throw failed(sql) }
        return try results(of: sql, within: patience)
    }

    private func prepare(
        _ sql: String, as name: String, _ types: [Oid], within patience: Duration
    ) throws(PostgresError) {
        do throws(PostgresError) {
            guard PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1 else { throw failed(sql) }
            _ = try results(of: sql, within: patience)
        } catch {
            prepared?.forget(sql, types)
            throw error
        }
    }

    /// Whether the server's process that answered a statement is the one that the connection was made to.
    func leads(to process: Int64) -> Bool { Int64(PQbackendPID(handle)) == process }

    /// What the library still holds of what is sent.
    private func flush(_ sql: String, until deadline: Duration) throws(PostgresError) {
        isAnswering = true
        while true {
            let left = PQflush(handle)
            guard left >= 0 else { throw failed(sql) }
            if left == 0 { return }
            try wait(forReading: false, until: deadline, sql: sql)
            guard PQconsumeInput(handle) == 1 else { throw failed(sql) }
        }
    }

    /// The last of the answers to what was sent. After an error the connection takes the next statement.
    private func results(of sql: String, within patience: Duration) throws(PostgresError) -> Answer {
        let deadline = now() + patience
        try flush(sql, until: deadline)
        var last: Answer?
        var failure: PostgresError?
        while true {
            while PQisBusy(handle) == 1 {
                try wait(forReading: true, until: deadline, sql: sql)
                guard PQconsumeInput(handle) == 1 else { throw failure ?? failed(sql) }
            }
            guard let result = PQgetResult(handle) else {
                isAnswering = false
                break
            }
            let answer = Answer(owning: result, sql: sql, place: place)
            failure = failure ?? answer.failure
            last = answer
        }
        if let failure { throw failure }
        guard PQstatus(handle) == CONNECTION_OK else { throw failed(sql) }
        guard let last else { throw failed(sql) }
        return last
    }

    /// The rest of the answer to what was sent before, where that took longer than it was waited for.
    func finish(_ sql: String, within patience: Duration) throws(PostgresError) {
        _ = try results(of: sql, within: patience)
    }

    // MARK: Notifications

    /// Waits for notifications on the channels that it listens to. Their texts; none where none came in time.
    func notifications(within patience: Duration) throws(PostgresError) -> [String] {
        let deadline = now() + patience
        while true {
            guard PQconsumeInput(handle) == 1 else { throw failed(nil) }
            var texts: [String] = []
            while let found = PQnotifies(handle) {
                texts.append(String(cString: found.pointee.extra))
                PQfreemem(found)
            }
            if !texts.isEmpty { return texts }
            guard try isReady(forReading: true, by: deadline, sql: nil) else { return [] }
        }
    }
}

/// Values as libpq takes them: numbers and texts as text, bytes as they are.
private struct BoundValues {
    private(set) var types: [Oid] = []
    private var texts: [[CChar]?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [Value]) {
        for value in values {
            switch value {
            case .null: append(0, nil)
            case .integer(let number): append(20, "\(number)")
            case .real(let number): append(701, "\(number)")
            // With its length, so that a NUL is refused by the server rather than taken for the end.
            case .text(let text): append(25, Array(text.utf8))
            case .blob(let bytes): append(17, bytes)
            }
        }
    }

    private mutating func append(_ type: Oid, _ bytes: [UInt8]) {
        types.append(type)
        texts.append(bytes.map { CChar(bitPattern: $0) })
        lengths.append(Int32(bytes.count))
        formats.append(1)
    }

    private mutating func append(_ type: Oid, _ text: String?) {
        types.append(type)
        texts.append(text.map { $0.utf8.map { CChar(bitPattern: $0) } + [0] })
        lengths.append(0)
        formats.append(0)
    }

    func withPointers(
        _ body: (
            UnsafePointer<Oid>, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>,
            UnsafePointer<Int32>
        ) -> Int32
    ) -> Int32 {
        // One piece of memory holds them all, so that every pointer is good for as long as the call.
        let all = texts.flatMap { $0.map { $0.isEmpty ? [0] : $0 } ?? [] }
        return all.withUnsafeBufferPointer { memory in
            var pointers: [UnsafePointer<CChar>?] = []
            var offset = 0
            for text in texts {
                if let text, let base = memory.baseAddress {
                    pointers.append(base + offset)
                    offset += max(1, text.count)
                } else {
                    pointers.append(nil)
                }
            }
            return pointers.withUnsafeBufferPointer { pointers in
                types.withUnsafeBufferPointer { types in
                    lengths.withUnsafeBufferPointer { lengths in
                        formats.withUnsafeBufferPointer { formats in
                            call(body, types, pointers, lengths, formats)
                        }
                    }
                }
            }
        }
    }

    private func call(
        _ body: (
            UnsafePointer<Oid>, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>,
            UnsafePointer<Int32>
        ) -> Int32,
        _ types: UnsafeBufferPointer<Oid>, _ texts: UnsafeBufferPointer<UnsafePointer<CChar>?>,
        _ lengths: UnsafeBufferPointer<Int32>, _ formats: UnsafeBufferPointer<Int32>
    ) -> Int32 {
        guard let types = types.baseAddress, let texts = texts.baseAddress, let lengths = lengths.baseAddress,
            let formats = formats.baseAddress
        else {
            // No values: the library looks at none.
            var (type, text, number): (Oid, UnsafePointer<CChar>?, Int32) = (0, nil, 0)
            return withUnsafePointer(to: &type) { type in
                withUnsafePointer(to: &text) { text in
                    withUnsafePointer(to: &number) { body(type, text, $0, $0) }
                }
            }
        }
        return body(types, texts, lengths, formats)
    }
}
