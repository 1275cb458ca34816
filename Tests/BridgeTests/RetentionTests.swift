import Basics
import Bridge
import Testing

@Suite struct RetentionTests {
    let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// Delivered so many seconds ago, 100 bytes each.
    func photos(_ ages: Int64...) -> [DeliveredPhoto] {
        ages.enumerated().map { index, age in
            DeliveredPhoto(
                capture: CaptureID(Int64(index)), event: "e", file: "\(index)", size: 100,
                settledAt: now + .seconds(-age))
        }
    }

    let roomy = Retention.Room(free: 1000, reserve: 100, wanted: 100)

    @Test(
        "what the setting says is read",
        arguments: [
            ("delete", .atOnce), ("keep", .always), ("keep-until-full", .untilSpaceIsShort),
            ("keep 7d", .after(.seconds(604_800))), ("keep  90min", .after(.seconds(5400))),
            ("keep 3650d", .after(Retention.longest)), ("keep 0s", .after(.zero)),
        ] as [(String, Retention)])
    func reads(text: String, retention: Retention) {
        #expect(Retention(text) == retention)
        #expect(Retention("\(retention)") == retention)
    }

    @Test(
        "what cannot be meant is no setting",
        arguments: [
            "", "Delete", "keep 7", "keep d", "keep -1d", "keep 3651d", "keep 1e3d", "keep 7 d", "delete 7d",
            "keep 99999999999999999999d", "keep 9223372036854775807d", "keep 1w", "keep ٣d",
        ])
    func refuses(text: String) {
        #expect(Retention(text) == nil)
    }

    @Test("at once is at once, and always is never")
    func simple() {
        #expect(Retention.atOnce.going(photos(10, 0, -99), at: now, room: roomy) == 3)
        let full = Retention.Room(free: 0, reserve: 100, wanted: 100)
        #expect(Retention.always.going(photos(1 << 30, 0), at: now, room: full) == 0)
    }

    @Test("by time the oldest go when theirs has come, however full the disk is")
    func byTime() {
        let retention = Retention.after(.seconds(60))
        let full = Retention.Room(free: 0, reserve: 100, wanted: 100)
        for room in [roomy, full] {
            #expect(retention.going(photos(61, 60, 59, 1), at: now, room: room) == 2)
            #expect(retention.going(photos(59), at: now, room: room) == 0)
        }
        #expect(retention.next(after: photos(59)[0]) == now + .seconds(1))
        #expect(Retention.untilSpaceIsShort.next(after: photos(59)[0]) == nil)
    }

    @Test("what was delivered before the clock was set back does not go early")
    func setBack() {
        #expect(Retention.after(.seconds(60)).going(photos(-1, -3600), at: now, room: roomy) == 0)
        #expect(Retention.after(.zero).going(photos(-1), at: now, room: roomy) == 0)
    }

    @Test(
        "when room is short so many of the oldest go that the reserve and the next photo fit",
        arguments: [
            (200, 0), (199, 1), (100, 1), (99, 2), (0, 2),
        ] as [(UInt64, Int)])
    func byRoom(free: UInt64, going: Int) {
        let room = Retention.Room(free: free, reserve: 100, wanted: 100)
        #expect(Retention.untilSpaceIsShort.going(photos(4, 3, 2, 1), at: now, room: room) == going)
    }

    @Test("figures that no disk has do not overflow")
    func overflow() {
        let room = Retention.Room(free: 0, reserve: .max, wanted: .max)
        #expect(room.isShort)
        #expect(Retention.untilSpaceIsShort.going(photos(2, 1), at: now, room: room) == 2)
    }
}
