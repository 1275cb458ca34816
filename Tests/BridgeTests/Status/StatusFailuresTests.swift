import Basics
import Bridge
import Testing

/// What failed lately, as long as it has not come where it was to go.
@Suite struct StatusFailuresTests {
    private static let place = "192.168.1.1:15740"

    private static func at(_ second: Int64) -> Timestamp { Timestamp(milliseconds: second * 1000) }

    private static func job(_ number: Int64) -> Job {
        Job(
            id: JobID(number), capture: CaptureID(number), destination: DestinationID(1), kind: .direct,
            state: .uploading, lane: .first, key: "k", attempts: 0, due: at(0),
            photo: StagedPhoto(file: "f", size: 1, sha256: ""),
            facts: NameTemplate.Facts(
                event: "Wedding", date: "", time: "", camera: "", serial: "", sequence: 1,
                name: "P\(number).JPG"))
    }

    private static func failed(_ number: Int64, _ problem: String, isFinal: Bool = false) -> BridgeNews {
        .upload(.failed(job(number), url: "https://a", problem, isFinal: isFinal))
    }

    private static func camera(_ event: TransferEvent) -> BridgeNews {
        .camera(CameraNews(place: place, event))
    }

    private var fold: StatusFold {
        StatusFold(event: BridgeEvent(id: "e", name: "Wedding"), cameras: [Self.place], destinations: [])
    }

    private func shown(_ fold: StatusFold) -> [String] {
        let status = fold.with(ledger: BridgeStatus(), spool: nil, sending: [:], at: Self.at(100))
        return status.failures.map { "\($0.trouble.photo ?? "-"): \($0.trouble.reason)" }
    }

    @Test("a photo's failures are one, the latest, and the newest stands first; its delivery ends it")
    func deliveries() {
        var fold = fold
        fold.apply(Self.failed(1, "it was slow"), at: Self.at(1))
        fold.apply(Self.failed(2, "refused", isFinal: true), at: Self.at(2))
        fold.apply(Self.failed(1, "it was cut"), at: Self.at(3))
        #expect(shown(fold) == ["P1.JPG: it was cut", "P2.JPG: refused"])
        #expect(fold.status.failures.map(\.trouble.advice.isEmpty) == [false, false])
        #expect(fold.status.failures.map(\.trouble.kind) == [.photo, .failure])
        #expect(fold.status.failures.map(\.trouble.needsOperator) == [false, true])
        #expect(fold.status.failures[0].trouble.advice.hasPrefix("nothing:"))
        #expect(fold.status.failures[1].trouble.advice.contains("tetherline retry --failed"))
        fold.apply(
            .upload(.delivered(Self.job(2), url: "https://a", Receipt(key: "P2.JPG", size: 1, sha256: ""))),
            at: Self.at(4))
        #expect(shown(fold) == ["P1.JPG: it was cut"])
    }

    @Test("what a camera did not give is among them until it is here")
    func photos() {
        var fold = fold
        fold.apply(Self.camera(.lost(CaptureID(1), path: "A.JPG", "the card went")), at: Self.at(1))
        fold.apply(Self.camera(.givenUp(CaptureID(2), path: "B.JPG", "it was cut")), at: Self.at(2))
        fold.apply(Self.camera(.givenUp(nil, path: "object 7", "no size")), at: Self.at(3))
        #expect(shown(fold) == ["object 7: no size", "B.JPG: it was cut", "A.JPG: the card went"])
        // What is given up is tried again; what is lost has to be looked for.
        #expect(fold.status.failures.map(\.trouble.needsOperator) == [false, false, true])
        fold.apply(Self.camera(.described(path: "object 7")), at: Self.at(4))
        let photo = StagedPhoto(file: "f", size: 1, sha256: "")
        fold.apply(Self.camera(.staged(CaptureID(2), path: "B.JPG", photo)), at: Self.at(5))
        #expect(shown(fold) == ["A.JPG: the card went"])
    }

    @Test("the latest twenty are kept")
    func many() {
        var fold = fold
        for number in Int64(1)...100 { fold.apply(Self.failed(number, "no"), at: Self.at(number)) }
        #expect(shown(fold).count == 20)
        #expect(shown(fold).first == "P100.JPG: no")
    }

    @Test("a photo under way is never further than all of it")
    func share() {
        #expect(BridgeStatus.Moving(.to("u"), capture: CaptureID(1), name: "a", size: 5, done: 9).done == 5)
        #expect(BridgeStatus.Moving(.to("u"), capture: CaptureID(1), name: "a", size: nil, done: 9).done == 9)
    }
}
