import Posix
import Rendering
import TestSupport
import Testing

@testable import Hud

/// Pictures of photos in the spool, made by the real program's own child; ImageMagick made the photos and looks at them.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: Tool.isThere("convert"), "ImageMagick is not installed"))
struct PictureTests {
    let folder: TemporaryFolder
    let reactor: Reactor
    let thread = ThreadExecutor(name: "test-pictures")
    let pictures: LocalPictures

    init() throws {
        folder = try TemporaryFolder()
        reactor = try Reactor(name: "test-pictures")
        folder.makeFolder("made")
        pictures = LocalPictures(
            pool: RenderPool(program: Built.tetherline, count: 1, on: reactor), folder: folder.file("made"),
            time: reactor, executor: thread)
    }

    private func photo(_ name: String, _ size: String = "900x600") throws -> PicturedPhoto {
        let path = folder.file(name)
        let made = try Tool("convert")?.run(["-size", size, "-seed", "\(name.utf8.count)", "plasma:", path])
        #expect(made?.code == 0, "\(made?.errors ?? "")")
        return PicturedPhoto(key: name, path: path)
    }

    private func end(_ running: Task<Void, Never>) async {
        running.cancel()
        await running.value
        thread.shutDown()
        reactor.shutDown()
    }

    @Test("a tile and a screen are as large as they should be, are made once, and leave nothing behind")
    func sizes() async throws {
        let pictures = pictures
        let running = Task { await pictures.run() }
        let photo = try photo("wide.jpg", "2400x1600")
        for (size, wanted) in [(PictureSize.tile, "480 320"), (.screen, "1600 1067")] {
            guard case .jpeg(let bytes) = await pictures.picture(of: photo, size) else {
                Issue.record("there is no \(size)")
                continue
            }
            try folder.write(bytes, to: "seen.jpg")
            let seen = try Tool("identify")?.run(["-format", "%w %h", folder.file("seen.jpg")])
            #expect(seen?.text == wanted)
        }
        // From memory: the file is not there any more.
        _ = try Tool("rm")?.run([folder.file("wide.jpg")])
        #expect(await pictures.picture(of: photo, .tile) != .none)
        #expect(folder.contents().filter { $0.hasPrefix("made/") } == [])
        await end(running)
    }

    @Test("what is no picture has none, and what has gone has none", arguments: [PictureSize.camera, .tile])
    func nothing(size: PictureSize) async throws {
        let pictures = pictures
        let running = Task { await pictures.run() }
        try folder.write(Array("no picture at all, whatever it is called".utf8), to: "a.jpg")
        #expect(
            await pictures.picture(of: PicturedPhoto(key: "a", path: folder.file("a.jpg")), size) == .none)
        #expect(
            await pictures.picture(of: PicturedPhoto(key: "b", path: folder.file("b.jpg")), size) == .none)
        await end(running)
    }

    @Test(
        "what was asked for last comes first, one that fills a screen before all, and too many are sent away")
    func order() async throws {
        let photos = try ["a.jpg", "bb.jpg", "ccc.jpg"].map { try photo($0) }
        let made = Shared<[String]>([])
        let pictures = pictures
        var asked: [Task<Void, Never>] = []
        func ask(_ photo: PicturedPhoto, _ size: PictureSize) async {
            let before = await pictures.waitingCount
            asked.append(
                Task {
                    if case .jpeg = await pictures.picture(of: photo, size) {
                        made.change { $0.append("\(photo.key) \(size)") }
                    }
                })
            while await pictures.waitingCount == before { await Task.yield() }
        }
        await ask(photos[0], .screen)
        for photo in photos { await ask(photo, .tile) }
        let running = Task { await pictures.run() }
        for task in asked { await task.value }
        #expect(made.change { $0 } == ["a.jpg screen", "ccc.jpg tile", "bb.jpg tile", "a.jpg tile"])
        await end(running)
    }

    @Test("forty wait, and who came first is sent away for another one")
    func crowd() async throws {
        let answers = Shared<[PictureAnswer]>([])
        let pictures = pictures
        let asked = (0..<50).map { number in
            Task {
                let photo = PicturedPhoto(key: "\(number)", path: "/nowhere/\(number).jpg")
                let answer = await pictures.picture(of: photo, .tile)
                answers.change { $0.append(answer) }
            }
        }
        while answers.change({ $0.count }) < 10 { await Task.yield() }
        #expect(answers.change { $0 } == [PictureAnswer](repeating: .busy, count: 10))
        #expect(await pictures.waitingCount == 40)
        let running = Task { await pictures.run() }
        running.cancel()
        for task in asked { await task.value }
        await end(running)
    }
}
