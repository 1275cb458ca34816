import Basics
import Bridge
import Console
import Testing

/// What `systemctl status` shows of a bridge.
@Suite struct StatusLineTests {
    private func wedding(_ change: (inout BridgeStatus) -> Void) -> String {
        var status = BridgeStatus()
        status.event = BridgeStatus.Event(id: "e", name: "Wedding")
        change(&status)
        return StatusLine.text(status)
    }

    private func cameras(_ phases: [BridgeStatus.CameraPhase?]) -> [BridgeStatus.Camera] {
        phases.map { BridgeStatus.Camera(address: "192.168.1.1", phase: $0) }
    }

    @Test("an evening in one line: cameras, photos, deliveries")
    func evening() {
        #expect(wedding { _ in } == "Wedding: 0 photos")
        let text = wedding { status in
            status.cameras = cameras([.fetching, .idle, .lost, .asleep, .waitingForOK])
            status.cameras[0].toFetch = 3
            status.photos = [.staged: 412, .duplicate: 2]
            status.jobs = [.queued: 3, .uploading: 2, .awaiting: 0, .completed: 819, .failed: 1]
        }
        #expect(
            text
                == "Wedding: 2 of 5 cameras connected; 412 photos, 3 to fetch; 3 queued, 2 uploading, 819 completed, 1 failed"
        )
    }

    @Test("a camera that is only announced is none of the bridge's")
    func announced() {
        #expect(wedding { $0.cameras = cameras([.new]) } == "Wedding: 0 photos")
        #expect(
            wedding { $0.cameras = cameras([.new, .held]) } == "Wedding: 1 of 1 cameras connected; 0 photos")
    }

    @Test("what needs a person stands in it")
    func needs() {
        let text = wedding { status in
            status.isPaused = true
            status.spool = BridgeStatus.Disk(free: 0, total: 1)
            status.spool?.hold = "no right to write"
            status.destinations = ["file:///a", "file:///b"].map {
                BridgeStatus.Destination(url: $0, kind: .direct)
            }
            status.destinations[1].hold = BridgeStatus.Destination.Hold(cause: nil, reason: "no")
        }
        #expect(
            text
                == "Wedding: PAUSED; 0 photos; THE DISK TAKES NO PHOTOS, 1 of 2 destinations take nothing: 'tetherline status' says more"
        )
    }
}
