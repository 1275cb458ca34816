import Basics
import Imaging
import Testing

@testable import Gallery

/// One photo's time, by everything that may be known of it.
@Suite struct CaptureEvidenceTests {
    /// "2026-11-21 18:59:03" of a clock, or of UTC.
    static let clock = moment("2026-11-21T18:59:03.120Z")
    static let vienna = TimeZone(minutes: 60)

    static func moment(_ text: String) -> Timestamp {
        guard let moment = Timestamp(rfc3339: text) else { preconditionFailure("\(text) is no time") }
        return moment
    }

    private func photo(
        _ clock: Timestamp? = Self.clock, offset: Int? = nil, satellites: Timestamp? = nil,
        claimed: Timestamp? = nil,
        ahead: Int64? = nil, arrived: Timestamp = Self.moment("2026-11-22T12:00:00Z")
    ) -> CaptureEvidence {
        CaptureEvidence(
            exif: ExifTime(clock: clock, offset: offset, satellites: satellites), claimed: claimed,
            clockAhead: ahead, arrived: arrived)
    }

    private func times(_ photo: CaptureEvidence, in zone: TimeZone? = Self.vienna, shift: Int64? = nil)
        -> [String]
    {
        photo.time(in: zone, shift: shift).map {
            [$0.moment, $0.shown].map { CivilTime.rfc3339(milliseconds: $0.milliseconds) }
        } ?? []
    }

    @Test("a camera that says no zone is in the event's, and in none where that is unknown")
    func plain() {
        #expect(times(photo()) == ["2026-11-21T17:59:03.120Z", "2026-11-21T18:59:03.120Z"])
        #expect(times(photo(), in: nil) == ["2026-11-21T18:59:03.120Z", "2026-11-21T18:59:03.120Z"])
        #expect(photo().time(in: nil, shift: nil)?.offset == nil)
        #expect(photo().time(in: Self.vienna, shift: nil)?.offset == 60)
    }

    @Test(
        "an iPhone that is still abroad in its pictures, and a camera on home time, are shown as the event's clocks were"
    )
    func abroad() {
        // It was one in the afternoon in New York.
        let phone = photo(Self.moment("2026-11-21T12:59:03Z"), offset: -300)
        #expect(times(phone) == ["2026-11-21T17:59:03.000Z", "2026-11-21T18:59:03.000Z"])
        #expect(phone.time(in: Self.vienna, shift: nil)?.offset == -300)
        let tokyo = photo(Self.moment("2026-11-22T02:59:03Z"), offset: 540)
        #expect(times(tokyo) == ["2026-11-21T17:59:03.000Z", "2026-11-21T18:59:03.000Z"])
        // One that does not say so is eight hours late, until its host says that.
        let silent = photo(Self.moment("2026-11-22T02:59:03Z"))
        #expect(times(silent).last == "2026-11-22T02:59:03.000Z")
        #expect(times(silent, shift: -8 * 3600) == ["2026-11-21T17:59:03.000Z", "2026-11-21T18:59:03.000Z"])
    }

    @Test("satellites prove which zone a clock is in, whatever its camera believes")
    func satellites() {
        let fix = Self.moment("2026-11-21T17:59:00Z")
        #expect(times(photo(satellites: fix)).first == "2026-11-21T17:59:03.120Z")
        #expect(times(photo(offset: 540, satellites: fix)).first == "2026-11-21T17:59:03.120Z")
        #expect(times(photo(satellites: fix), in: nil).last == "2026-11-21T17:59:03.120Z")
        // Those of an hour ago, more or less, prove nothing.
        let old = Self.moment("2026-11-21T16:47:00Z")
        #expect(times(photo(offset: 60, satellites: old)).first == "2026-11-21T17:59:03.120Z")
        #expect(
            times(photo(nil, satellites: fix)) == ["2026-11-21T17:59:00.000Z", "2026-11-21T18:59:00.000Z"])
    }

    @Test("a measured clock is corrected, but for what satellites prove and what its host has said")
    func measured() {
        // Thirty-seven minutes fast, in Vienna.
        let ahead: Int64 = 3600 + 37 * 60
        #expect(times(photo(ahead: ahead)) == ["2026-11-21T17:22:03.120Z", "2026-11-21T18:22:03.120Z"])
        #expect(times(photo(offset: 60, ahead: ahead)).last == "2026-11-21T18:22:03.120Z")
        #expect(times(photo(ahead: ahead), shift: 0).last == "2026-11-21T18:59:03.120Z")
        #expect(times(photo(ahead: ahead), shift: -60).last == "2026-11-21T18:58:03.120Z")
        let fix = Self.moment("2026-11-21T17:59:00Z")
        #expect(times(photo(satellites: fix, ahead: ahead)).last == "2026-11-21T18:59:03.120Z")
        // A clock that was never set: no zone explains it, and no zone is needed.
        let reset = Self.moment("2016-01-01T00:03:00Z")
        let years = reset.seconds - Self.moment("2026-11-21T18:00:00Z").seconds
        #expect(times(photo(reset, ahead: years)).first == "2026-11-21T18:00:00.000Z")
    }

    @Test(
        "no photo comes before it was taken: a measure that says so is of another time, or by a wrong clock")
    func future() {
        let arrived = Self.moment("2026-11-21T18:00:00Z")
        let set = photo(ahead: -3600, arrived: arrived)
        #expect(times(set).first == "2026-11-21T17:59:03.120Z", "it is as if nothing had been measured")
    }

    @Test("what an uploader says stands where the file says nothing, and tells a clock's zone where it fits")
    func claims() {
        let claimed = Self.moment("2026-11-21T17:59:03Z")
        #expect(
            times(photo(nil, claimed: claimed)) == ["2026-11-21T17:59:03.000Z", "2026-11-21T18:59:03.000Z"])
        #expect(times(photo(claimed: claimed), in: nil).first == "2026-11-21T17:59:03.120Z")
        let copied = Self.moment("2026-11-23T09:17:30Z")
        #expect(
            times(photo(claimed: copied)).first == "2026-11-21T17:59:03.120Z",
            "when a file was made is not when")
        #expect(times(photo(nil)) == [])
    }

    @Test("a host's shift moves every photo of a camera by the same, also those that know more")
    func shifts() {
        let fix = Self.moment("2026-11-21T17:59:00Z")
        for known in [photo(), photo(satellites: fix), photo(ahead: 3700), photo(claimed: fix)] {
            #expect(times(known, shift: 90).last == "2026-11-21T19:00:33.120Z")
        }
        #expect(times(photo(offset: 120), shift: 90).last == "2026-11-21T18:00:33.120Z")
    }

    @Test("what cannot be written down is no time")
    func ends() {
        let late = photo(Self.moment("9998-12-31T23:00:00Z"))
        #expect(late.time(in: Self.vienna, shift: nil) != nil)
        #expect(late.time(in: Self.vienna, shift: 3_200_000_000) == nil)
        #expect(
            photo(Self.moment("0002-01-01T00:00:00Z")).time(in: Self.vienna, shift: -3_200_000_000) == nil)
    }

    @Test(
        "a photo tells its event's zone: best by satellites or a camera's word, else by a clock that is right somewhere"
    )
    func hints() {
        func hint(_ photo: CaptureEvidence) -> [Int]? { photo.hint.map { [$0.offset, $0.rank] } }
        let fix = Self.moment("2026-11-21T17:59:00Z")
        #expect(hint(photo()) == nil)
        #expect(hint(photo(offset: 60)) == [60, 1])
        #expect(hint(photo(offset: 540, satellites: fix)) == [60, 1])
        #expect(hint(photo(ahead: 3590)) == [60, 2] && hint(photo(ahead: 19_810)) == [330, 2])
        #expect(hint(photo(ahead: 3600 + 37 * 60)) == [90, 3])
        #expect(
            hint(photo(offset: 60, ahead: 3600 + 300)) == [60, 1], "it is a little fast, and says its zone")
        #expect(
            hint(photo(offset: 0, ahead: 3600)) == [60, 2],
            "set to the hall's clock, and the zone left as it was")
        #expect(hint(photo(ahead: -300_000_000)) == nil)
        #expect(hint(photo(claimed: fix)) == [60, 1])
    }
}
