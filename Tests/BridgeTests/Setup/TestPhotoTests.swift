import Basics
import Bridge
import Testing

/// A photo of the setup on its way, told by what a bridge tells.
@Suite struct TestPhotoTests {
    private static let place = "192.168.1.5:15740"
    private static let path = "DCIM/100NIKON/DSC_0001.JPG"
    private static let capture = CaptureID(7)

    private static func camera(_ event: TransferEvent) -> BridgeNews {
        .camera(CameraNews(place: place, event))
    }

    private static func delivery(
        _ url: String, _ state: JobState, problem: String? = nil
    ) -> PhotoHistory.Delivery {
        var delivery = PhotoHistory.Delivery(
            job: JobID(1), url: url, state: state, createdAt: Timestamp(milliseconds: 0),
            due: Timestamp(milliseconds: 0))
        delivery.problem = problem
        return delivery
    }

    private static let ready: [BridgeNews] = [
        camera(.connection(.ready)), camera(.reconciled(listed: 3, wanted: 0, passedOver: [:])),
    ]
    private static let began = camera(.began(capture, path: path, size: 5_000_000, from: 0))
    private static let staged = camera(
        .staged(
            capture, path: path,
            StagedPhoto(file: "7-DSC_0001.JPG", size: 5_000_000, sha256: String(repeating: "ab", count: 32))))

    /// After these, all at the first second.
    private static func after(_ news: [BridgeNews]) -> (photo: TestPhoto, lines: [String]) {
        var photo = TestPhoto(at: .zero, patience: .seconds(60))
        let lines = news.flatMap { photo.handle($0, at: .seconds(1)) }
        return (photo, lines)
    }

    @Test(
        "notice, on disk, delivered, confirmed: each is said once, and it has arrived when every place has it"
    )
    func wholeWay() {
        var (photo, lines) = Self.after(Self.ready + [Self.began, Self.staged])
        #expect(photo.capture == Self.capture && photo.end == nil)
        for states in [
            [JobState.uploading, .staged], [.uploading, .staged], [.uploadedAwaitingProcessing, .uploading],
            [.completed, .uploading], [.completed, .completed],
        ] {
            #expect(photo.end == nil)
            lines += photo.handle(
                [Self.delivery("https://g", states[0]), Self.delivery("file:///m", states[1])],
                at: .seconds(2))
        }
        #expect(photo.end == .arrived)
        #expect(
            lines == [
                "camera     192.168.1.5:15740 is connected", "Press the shutter of the camera now.",
                "notice     DCIM/100NIKON/DSC_0001.JPG, 5.0 MB",
                "on disk    DCIM/100NIKON/DSC_0001.JPG, 5.0 MB, SHA-256 abababababab…",
                "sending    to https://g", "delivered  to https://g, which is working on it",
                "sending    to file:///m", "confirmed  by https://g", "confirmed  by file:///m",
            ])
    }

    @Test(
        "what does not happen in time is said, with the part of the way and what helps",
        arguments: [
            ([], "No camera has connected within 1:00", "tetherline setup pair"),
            (ready, "No photo has come within 1:00", "tetherline camera events"),
            (ready + [began], "has stopped coming", "closer"),
            (ready + [began, staged], "safe on the disk", "tetherline destination test"),
        ] as [([BridgeNews], String, String)])
    func deadlines(news: [BridgeNews], what: String, help: String) {
        var (photo, _) = Self.after(news)
        photo.look(at: .seconds(59))
        #expect(photo.end == nil)
        photo.look(at: .seconds(61))
        guard case .failed(let sentence) = photo.end else {
            Issue.record("\(String(describing: photo.end))")
            return
        }
        #expect(sentence.contains(what) && sentence.contains(help), "\(sentence)")
    }

    @Test("each step forward gives the next one the whole time")
    func patience() {
        var (photo, _) = Self.after(Self.ready)
        _ = photo.handle(Self.began, at: .seconds(60))
        photo.look(at: .seconds(119))
        #expect(photo.end == nil)
        _ = photo.handle(Self.staged, at: .seconds(119))
        _ = photo.handle([Self.delivery("https://g", .uploading)], at: .seconds(178))
        photo.look(at: .seconds(237))
        #expect(photo.end == nil)
    }

    @Test("why a place takes nothing is said once, and again where the time is over")
    func held() {
        var (photo, lines) = Self.after(
            Self.ready + [Self.began, Self.staged]
                + Array(
                    repeating: .upload(
                        .held(url: "https://g", .consent, "no consent. tetherline consent --give")), count: 3)
        )
        #expect(lines.filter { $0.contains("tetherline consent --give") }.count == 1)
        _ = photo.handle([Self.delivery("https://g", .staged)], at: .seconds(2))
        photo.look(at: .seconds(90))
        guard case .failed(let sentence) = photo.end else {
            Issue.record("it waits on")
            return
        }
        #expect(sentence.contains("tetherline consent --give") && sentence.contains("by https://g"))
    }

    @Test("a place that refuses the photo ends it, and an event without a place does")
    func refused() {
        var (photo, _) = Self.after(Self.ready + [Self.began, Self.staged])
        _ = photo.handle(
            [Self.delivery("https://g", .failedPermanent, problem: "too large")], at: .seconds(2))
        #expect(photo.end == .failed("https://g will not take it: too large."))
        var (nowhere, _) = Self.after(Self.ready + [Self.began, Self.staged])
        _ = nowhere.handle([], at: .seconds(2))
        guard case .failed(let sentence) = nowhere.end else {
            Issue.record("it has arrived nowhere")
            return
        }
        #expect(sentence.contains("tetherline destination add"))
    }

    @Test("a photo that is there already, or is lost, asks for another one")
    func another() {
        var (photo, lines) = Self.after(
            Self.ready + [
                Self.began, Self.camera(.duplicate(Self.capture, path: Self.path, of: CaptureID(1))),
            ])
        #expect(lines.last == "Press the shutter once more." && photo.capture == nil)
        _ = photo.handle(Self.began, at: .seconds(2))
        _ = photo.handle(Self.staged, at: .seconds(2))
        #expect(photo.capture == Self.capture)
    }

    @Test("a bridge that ends by itself is the end, with its reason")
    func ended() {
        var (photo, _) = Self.after(Self.ready)
        photo.ended("no log-in")
        #expect(photo.end == .failed("no log-in"))
    }
}
