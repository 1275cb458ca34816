import Basics
package import Bridge

/// A status in one line, as `systemctl status` shows it: what counts first, and how many need a person.
package enum StatusLine {
    package static func text(_ status: BridgeStatus) -> String {
        let name = status.event.map { Visible($0.name).description } ?? "no event"
        let parts = [
            status.isPaused ? "PAUSED" : nil, cameras(status), photos(status), deliveries(status),
            needs(status),
        ]
        return "\(name): \(parts.compactMap { $0 }.joined(separator: "; "))"
    }

    private static func cameras(_ status: BridgeStatus) -> String? {
        let ours = status.cameras.filter { $0.phase != .new }
        guard !ours.isEmpty else { return nil }
        let connected = ours.filter { camera in
            switch camera.phase {
            case .listing, .fetching, .idle, .suspect, .busy, .held: true
            case .connecting, .waitingForOK, .confirmingCode, .asleep, .lost, .ended, .new, nil: false
            }
        }
        return "\(connected.count) of \(ours.count) cameras connected"
    }

    private static func photos(_ status: BridgeStatus) -> String {
        let toFetch = status.cameras.map(\.toFetch).reduce(0, +)
        return "\(status.photos[.staged, default: 0]) photos" + (toFetch > 0 ? ", \(toFetch) to fetch" : "")
    }

    private static func deliveries(_ status: BridgeStatus) -> String? {
        let counts = JobGroup.allCases.compactMap { group in
            status.jobs[group].flatMap { $0 > 0 ? "\($0) \(group.rawValue)" : nil }
        }
        return counts.isEmpty ? nil : counts.joined(separator: ", ")
    }

    private static func needs(_ status: BridgeStatus) -> String? {
        let held = status.destinations.filter { $0.hold != nil }.count
        let parts = [
            status.spool?.hold == nil ? nil : "THE DISK TAKES NO PHOTOS",
            held > 0 ? "\(held) of \(status.destinations.count) destinations take nothing" : nil,
        ].compactMap { $0 }
        return parts.isEmpty ? nil : "\(parts.joined(separator: ", ")): 'tetherline status' says more"
    }
}
