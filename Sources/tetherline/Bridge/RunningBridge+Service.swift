import Basics
import Bridge
import Console
import HTTPClient
import Posix
import Store

/// The bridge as a service of systemd.
extension RunningBridge {
    /// What tells the service manager how the bridge is. Asked are the loop that this runs on, the ledger's thread, those
    /// who fold the status, and the loop of the uploads: without any of them no photo gets further. A camera is not: one
    /// that hangs is its own connection's matter, and the others go on.
    static func heartbeat(
        of manager: ServiceManager?, _ ledger: Ledger, _ board: StatusBoard, _ uplink: Uplink,
        _ report: RunReport, time: any TimeSource
    ) -> ServiceHeartbeat? {
        guard let manager else { return nil }
        let uploads = uplink.client.executor
        let parts = [
            ServiceHeartbeat.Part("the ledger") { await ledger.answer() },
            ServiceHeartbeat.Part("the status") { _ = await board.progress },
            ServiceHeartbeat.Part("the loop of the uploads") {
                // A turn of the loop, and not only a place in its queue.
                do { try await uploads.sleep(until: uploads.now) } catch { return }
            },
        ]
        return ServiceHeartbeat(
            manager, parts: parts, time: time,
            line: {
                do {
                    return StatusLine.text(try await board.status())
                } catch {
                    return "the ledger cannot be read: \(error)"
                }
            }, report: { report.noteAtOnce($0) })
    }
}
