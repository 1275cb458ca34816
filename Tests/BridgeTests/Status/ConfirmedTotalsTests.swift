import Basics
import Bridge
import TestSupport
import Testing

/// What only grows while a bridge runs.
@Suite struct ConfirmedTotalsTests {
    private static let shot = Timestamp(milliseconds: 1_795_464_000_000)

    @Test("a photo counts once, in the first bucket that it fits, and those beyond the last are kept")
    func buckets() {
        var totals = ConfirmedTotals()
        for milliseconds in [-5000, 0, 1000, 1001, 3_600_000, 3_600_001] as [Int64] {
            totals.confirmed(
                bytes: 10, shot: Self.shot, deadline: nil, at: Self.shot + .milliseconds(milliseconds))
        }
        totals.confirmed(bytes: 5, shot: nil, deadline: Self.shot, at: Self.shot)
        #expect(totals.photos == 7 && totals.bytes == 65 && totals.measured == 6)
        // A clock that was set back makes no time of less than nothing.
        #expect(totals.spans.first == 3 && totals.spans[1] == 1)
        #expect(totals.spans.suffix(2) == [1, 1] && totals.spans.count == ConfirmedTotals.bounds.count + 1)
        #expect(totals.sum == .milliseconds(1000 + 1001 + 3_600_000 + 3_600_001))
        #expect(totals.promised == 0, "without a shutter no promise can be judged")
    }

    @Test("a destination's totals and a camera's last photo are in the status")
    func folded() {
        let event = BridgeEvent(id: "e", name: "E")
        let url = "https://g"
        var fold = StatusFold(
            event: event, cameras: ["a:1"], destinations: [.init(url: url, kind: .gallery)])
        let photo = StagedPhoto(file: "f", size: 1, sha256: "")
        fold.apply(
            .camera(CameraNews(place: "a:1", .staged(CaptureID(1), path: "p", photo))), at: Self.shot)
        for number in Int64(1)...3 {
            fold.apply(
                .upload(.delivered(.some(number), url: url, Receipt(key: "k", size: 100, sha256: ""))),
                at: Self.shot)
        }
        var ledger = BridgeStatus()
        ledger.destinations = [.init(url: url, kind: .gallery)]
        let status = fold.with(ledger: ledger, spool: nil, sending: [:], at: Self.shot)
        #expect(
            status.destinations[0].confirmed?.photos == 3 && status.destinations[0].confirmed?.bytes == 300)
        #expect(status.cameras.map(\.lastPhoto) == [Self.shot])
    }
}
