import Bridge
import Camera
import Link
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// The same over TCP: the camera's system acknowledges every byte, and no program reads them.
@Suite struct HangSocketTests {
    @Test(
        "a camera that hangs while its TCP goes on is left after two questions, of 9 and 14 s, and taken back when it answers"
    )
    func hang() async throws {
        let reactor = try Reactor(name: "hang")
        defer { reactor.shutDown() }
        let (signal, log) = (Signal(), Shared<[String]>([]))
        var settings = SimulatedCamera.Settings()
        settings.script = try FaultScript("hang operation=0x1004 skip=1 times=1")
        settings.onLog = { line in
            log.change { $0.append(line) }
            signal.fire()
        }
        let camera = SimulatedCamera(
            card: try VirtualCard(VirtualCard.Settings(), photos: 2), settings: settings, executor: reactor,
            time: reactor)
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        let serving = Task(executorPreference: reactor) { await camera.run { try await listener.accept() } }
        defer {
            listener.close()
            serving.cancel()
        }
        let clock = ManualClock()
        let address = HostPort(host: "127.0.0.1", port: listener.localEndpoint.port)
        let identity = try #require(ClientIdentity(id: String(repeating: "0", count: 32), name: "test"))
        let connector = GenericConnector(
            place: "\(address)", settings: GenericSettings(identity: identity), executor: reactor, time: clock
        ) { _ in TCPLinks(to: address, reactor: reactor) }

        let failure = await #expect(throws: CameraFailure.self) {
            try await connector.met(knowing: nil) { driver in
                _ = try await driver.survey(SurveyOptions(), onDescribed: {})
                let first = Task { try await driver.keepAlive() }
                while !log.value.contains("hanging") { await signal.wait() }
                clock.advance(by: .seconds(9))
                let unanswered = await ConformanceCheck.failure { try await first.value }
                #expect(unanswered?.trouble == .unanswered)
                let second = Task { try await driver.keepAlive() }
                // The question on the event link meanwhile.
                await clock.waitForSleeper(until: .seconds(14))
                clock.advance(by: .seconds(5))
                await clock.waitForSleeper(until: .seconds(23))
                clock.advance(by: .seconds(9))
                try await second.value
            }
        }
        #expect(failure?.camera == "\(address)")
        #expect(
            failure?.reason
                == "the camera holds the connection and has said nothing for 23 s, the last time not to GetStorageIDs"
        )
        await camera.powerOff()
        await camera.powerOn()
        let offers = try await connector.met(knowing: nil) { driver in
            try await driver.survey(SurveyOptions(), onDescribed: {}).offers
        }
        #expect(offers.count == 2)
    }
}
