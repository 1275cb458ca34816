import Basics
import Bridge
import GalleryCopy
import HTTPServer
import Posix
import Synchronization
import TestSupport
import Testing
import Upload

@testable import Gallery

/// One bridge's copy, with a clock that is not right.
final class CopySide: Sendable {
    final class Wall: WallTime {
        private let truth: GalleryWall
        private let skew: Mutex<Duration>

        init(_ truth: GalleryWall, _ skew: Duration) {
            self.truth = truth
            self.skew = Mutex(skew)
        }

        var wallNow: Timestamp { truth.wallNow + skew.withLock { $0 } }
        func localOffset(at moment: Timestamp) -> Int64 { 0 }
        func set(_ skew: Duration) { self.skew.withLock { $0 = skew } }
    }

    /// What happens to the requests of one course.
    enum Luck { case fine, requestLost, answerLost }

    private static let thread = ThreadExecutor(name: "test copies")

    private let meeting: CopyMeeting
    private let folder: TemporaryFolder
    private let copy: GalleryCopy
    private let place: CopyPlaceID
    private let wire: Wire
    private let sync: GallerySync
    let wall: Wall
    /// Photos of this bridge's own cameras.
    let captures: [Int64]
    /// A photo by its number here, or as the gallery calls it: each may be named in both ways.
    private enum Photo {
        case capture(CaptureID)
        case record(String)
    }

    /// What was written, of which photo, in order.
    private let captions = Shared<[(text: String, photo: Photo)]>([])

    init(_ meeting: CopyMeeting, number: Int, seed: UInt64, skew: Duration) async throws {
        self.meeting = meeting
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        wall = Wall(meeting.wall, skew)
        captures = (1...3).map { Int64(number * 10 + $0) }
        wire = Wire(meeting)
        let address = try GalleryAddress("https://gallery.example")
        let file = CredentialsFile(folder: folder.path)
        let user = GalleryUser(id: meeting.ground.owner.id, email: "host@example.org", displayName: nil)
        try file.update {
            $0[address] = GalleryCredentials.Entry(
                server: "\(address)", user: user, tokens: GalleryTokens(access: "a", refresh: "r"))
        }
        sync = GallerySync(
            GalleryAccount(
                api: GalleryAPI(address, http: wire, wall: wall), file: file, time: meeting.wall.clock,
                executor: Self.thread, mayRefresh: true), file: file)
        copy = GalleryCopy(
            path: folder.file(CopyDatabase.fileName), executor: Self.thread, wall: wall,
            random: SeededSource(seed &* 2 &+ UInt64(number)), report: { Issue.record("\($0)") })
        place = try await copy.place("\(address)", event: meeting.event)
    }

    // MARK: Offline

    func act(_ step: Int, _ random: inout Seeded) async throws {
        let capture = random.chance(20) ? captures.randomElement(using: &random) : nil
        var record = capture.flatMap { meeting.receipt(of: CaptureID($0)) }
        if capture == nil {
            record = try await photos().keys.sorted().randomElement(using: &random)
            guard record != nil else { return }
        }
        var edit = PhotoEdit()
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: edit.caption = "\(step) of \(captures[0])"
        case 4..<6: edit.rating = Int.random(in: 0...5, using: &random)
        case 6: edit.isHidden = random.chance(50)
        case 7: edit.addedTags = ["tag \(Int.random(in: 0..<5, using: &random))"]
        case 8: edit.removedTags = ["tag \(Int.random(in: 0..<5, using: &random))"]
        case 9: edit.addedAlbums = [try await copy.album(named: "Album \(step % 3)", at: place)]
        case 10:
            guard let album = try await copy.knownAlbum(named: "Album \(step % 3)", at: place) else { return }
            edit.removedAlbums = [album]
        default:
            guard let record, random.chance(10) else { return }
            return try await make(EditWish(.photo, record: record, .delete))
        }
        try await make(
            EditWish(.photo, record: record, capture: capture.map { CaptureID($0) }, .photo(edit)))
        guard let text = edit.caption else { return }
        if let capture {
            captions.change { $0.append((text, .capture(CaptureID(capture)))) }
        } else if let record {
            captions.change { $0.append((text, .record(record))) }
        }
    }

    private func record(of photo: Photo) -> String? {
        switch photo {
        case .capture(let id): meeting.receipt(of: id)
        case .record(let id): id
        }
    }

    private func make(_ wish: EditWish) async throws {
        do {
            _ = try await copy.edit([wish], at: place)
        } catch is CopyObjection {
            // It was deleted; the operator is told so.
            if case .photo(let edit) = wish.edit, let text = edit.caption {
                objected.change { _ = $0.insert(text) }
            }
        }
    }

    private let objected = Shared<Set<String>>([])

    func makeAgain(_ random: inout Seeded) async throws {
        let conflicts = try await copy.entries(at: place, conflicts: true, limit: 1000)
        guard let one = conflicts.randomElement(using: &random) else { return }
        guard case .conflict(let conflict) = one.edit.standing, conflict.cause == .newer else { return }
        _ = try await copy.makeAgain(one.edit.id)
        // Made again it is the last word on its photo.
        if case .photo(let edit) = one.edit.edit, let text = edit.caption {
            captions.change { list in
                guard let place = list.firstIndex(where: { $0.text == text }) else { return }
                list.append(list.remove(at: place))
            }
        }
    }

    // MARK: Online

    func exchange(_ luck: Luck) async throws {
        wire.luck.change { $0 = luck }
        do {
            _ = try await copy.exchange(at: place, with: sync) { [meeting] in meeting.receipt(of: $0) }
        } catch let failure as SyncFailure {
            guard luck == .fine else { return }
            Issue.record("\(failure.sentence)")
        }
    }

    // MARK: What is seen

    static func line(_ parts: String?...) -> String { parts.map { $0 ?? "?" }.joined(separator: "|") }

    func waiting() async throws -> Int { try await copy.counts(of: place).waiting }

    private func photos() async throws -> [String: GalleryRecord.Photo] {
        try await copy.contents(.photo, at: place).compactMapValues { content in
            if case .photo(let photo) = content { photo } else { nil }
        }
    }

    func there() async throws -> Set<String> {
        let albums = try await copy.contents(.album, at: place).map { id, content in
            if case .album(let album) = content { Self.line(id, album.name) } else { "?" }
        }
        let photos = try await photos().map { id, photo in
            Self.line(
                id, photo.caption, "\(photo.rating)", "\(photo.isHidden)", photo.tags.joined(separator: ","),
                photo.albums.sorted().joined(separator: ","))
        }
        return Set(albums + photos)
    }

    /// Captions that the gallery never showed, that no later one of ours was put over, and that no conflict tells of.
    func lostInSilence() async throws -> [String] {
        let told = Set(
            try await copy.entries(at: place, conflicts: true, limit: 10_000).compactMap { entry in
                if case .photo(let edit) = entry.edit.edit { edit.caption } else { nil }
            })
        let made = captions.value
        return made.indices.filter { index in
            let (text, photo) = made[index]
            let isPutOver = made[(index + 1)...].contains { record(of: $0.photo) == record(of: photo) }
            return !meeting.hasShown(text) && !isPutOver && !told.contains(text)
                && !objected.value.contains(text)
        }.map { made[$0].text }
    }

    /// Requests go to the gallery's endpoint, or are lost on the way there or back.
    private final class Wire: HTTPTransport {
        let luck = Shared(Luck.fine)
        private let meeting: CopyMeeting

        init(_ meeting: CopyMeeting) {
            self.meeting = meeting
        }

        func forgetConnections() {}

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            guard case .bytes(let body) = request.body, luck.value != .requestLost else {
                throw .unreachable("there is no network")
            }
            let response: Response
            do {
                response = try await meeting.serve(body)
            } catch {
                throw .invalid("\(error)")
            }
            if luck.value == .answerLost { throw .broken("the connection was cut", bodyWasSent: true) }
            guard case .bytes(let bytes) = response.body else { throw .unreadable("no body") }
            let date = meeting.wall.wallNow.httpDate
            return HTTPResponse(status: response.status, headers: [HTTPHeader("Date", date)], body: bytes)
        }
    }
}
