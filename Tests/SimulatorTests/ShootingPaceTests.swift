import Simulator
import Testing

@Suite struct ShootingPaceTests {
    @Test("a burst lies in the middle of the others")
    func burst() {
        let burst = ShootingPace.Burst(shots: 3, interval: .milliseconds(100))
        let pace = ShootingPace(shots: 4, interval: .milliseconds(500), burst: burst)
        #expect(
            (0..<pace.count).map(pace.pause) == [500, 500, 100, 100, 100, 500, 500].map { .milliseconds($0) })
    }

    @Test("without one all are as far apart")
    func even() {
        let pace = ShootingPace(shots: 2, interval: .seconds(1))
        #expect((0..<pace.count).map(pace.pause) == [.seconds(1), .seconds(1)])
    }
}
