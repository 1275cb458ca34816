import Basics
import TestSupport
import Testing

@Suite struct TokenBucketTests {
    @Test("it begins full, gives what it has, and fills at its rate")
    func fills() {
        var bucket = TokenBucket(bytesPerSecond: 1_000_000, at: .seconds(5))
        #expect(bucket.burst == 100_000)
        #expect(bucket.available(at: .seconds(5)) == 100_000)
        bucket.take(100_000)
        #expect(bucket.available(at: .seconds(5)) == 0)
        #expect(bucket.available(at: .milliseconds(5001)) == 1000)
        #expect(bucket.available(at: .milliseconds(5050)) == 50_000)
        #expect(bucket.available(at: .seconds(500)) == 100_000)
    }

    @Test("the moment it names is when the bytes are there, and not a nanosecond before")
    func moment() {
        var generator = Seeded(1)
        for _ in 0..<1000 {
            let rate = UInt64.random(in: 1...2_000_000, using: &generator)
            var bucket = TokenBucket(bytesPerSecond: rate, at: .zero)
            bucket.take(bucket.burst)
            let wanted = UInt64.random(in: 1...bucket.burst, using: &generator)
            let moment = bucket.moment(of: wanted)
            #expect(bucket.available(at: moment - .nanoseconds(1)) == wanted - 1)
            #expect(bucket.available(at: moment) == wanted)
        }
    }

    @Test(
        "however it is asked, no more is given over a time than the rate and one burst",
        arguments: 0..<20 as Range<UInt64>)
    func neverMore(seed: UInt64) {
        var generator = Seeded(seed)
        let rate = UInt64.random(in: 1...TokenBucket.fastest, using: &generator)
        var bucket = TokenBucket(bytesPerSecond: rate, at: .zero)
        var (now, given) = (Duration.zero, UInt64(0))
        for _ in 0..<2000 {
            now += .nanoseconds(Int64.random(in: 0...50_000_000, using: &generator))
            let count = UInt64.random(in: 0...bucket.available(at: now), using: &generator)
            bucket.take(count)
            given += count
        }
        let seconds = Double(now.components.seconds) + Double(now.components.attoseconds) / 1e18
        #expect(Double(given) <= Double(rate) * seconds * 1.000001 + Double(bucket.burst))
    }

    @Test("another rate counts from then on; a clock that is late or years ahead harms nothing")
    func changes() {
        var bucket = TokenBucket(bytesPerSecond: 1_000_000, at: .zero)
        bucket.setRate(20_000_000, at: .zero)
        #expect(bucket.available(at: .zero) == 100_000)
        #expect(bucket.available(at: .milliseconds(1)) == 120_000)
        bucket.setRate(1_000_000, at: .milliseconds(1))
        #expect(bucket.available(at: .milliseconds(1)) == 100_000)
        #expect(bucket.available(at: .zero) == 100_000)
        bucket.take(100_000)
        #expect(bucket.available(at: .seconds(1 << 40)) == 100_000)
        var fastest = TokenBucket(bytesPerSecond: .max, at: .zero)
        #expect(fastest.bytesPerSecond == TokenBucket.fastest)
        #expect(fastest.available(at: .seconds(1 << 40)) == fastest.burst)
        var slowest = TokenBucket(bytesPerSecond: 0, at: .zero)
        slowest.take(slowest.burst)
        #expect(slowest.available(at: .seconds(3)) == 3)
    }
}
