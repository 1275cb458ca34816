import Basics
import Bridge
import Camera
import Posix
import Upload

/// What a run is about: the section `run`, and what the command line of `tetherline run` says instead.
struct RunSettings {
    var cameras: [CameraChoice] = []
    /// As it is selected, when nothing is said.
    var event: String?
    var server: GalleryAddress?
    var destinations: [DestinationAddress] = []
    /// Nothing when the operator did not say.
    var since: Since?
    var isOnce = false
    var idle = Duration.seconds(3)
    var retry = Duration.seconds(60)
    var isJSON = false
    var showsStats = false
    var isQuiet = false
    /// Lines on a terminal, too.
    var isPlain = false

    private static let longestEvent = 200

    static func cameras(_ source: any SettingSource) throws -> [CameraChoice] {
        var cameras: [CameraChoice] = []
        for text in try source.texts() {
            let camera: CameraChoice
            do throws(HostPort.Unreadable) {
                camera = try CameraChoice(text)
            } catch {
                throw source.problem("\(error)")
            }
            guard !cameras.contains(where: { $0.text == camera.text }) else {
                throw source.problem("\(text) is given twice; a camera has one slot.")
            }
            cameras.append(camera)
        }
        return cameras
    }

    static func event(_ source: any SettingSource) throws -> String {
        let event = try source.text()
        guard !event.isEmpty, event.count <= longestEvent else {
            throw source.problem(
                "Say which event the photos belong to: a name of at most \(longestEvent) characters.")
        }
        return event
    }

    static func server(_ source: any SettingSource) throws -> GalleryAddress {
        let text = try source.text()
        do throws(GalleryAddress.Invalid) {
            // The operator allowed plain http when logging in there, if it is plain.
            return try GalleryAddress(text, allowsPlain: true)
        } catch {
            throw source.problem("\(error)")
        }
    }

    static func destinations(_ source: any SettingSource) throws -> [DestinationAddress] {
        try source.texts().map { url in
            let shown = AddressParts.withoutPassword(url)
            guard shown == url || !source.isFile else {
                throw source.problem(
                    "no password stands in this file; leave it out of \(shown), and keep it in a file that "
                        + "?credentials= names or in the environment.")
            }
            do throws(AddressProblem) {
                return try DestinationAddress(url)
            } catch {
                throw source.problem("\(error)")
            }
        }
    }

    static func since(_ source: any SettingSource) throws -> Since {
        let text = try source.text()
        switch text {
        case "session": return .begin
        case "last-seen": return .lastSeen
        case "all": return .all
        default:
            // 2026-11-21, 2026-11-21T18:00 and 2026-11-21T18:00:30 are what PTP writes without the dashes.
            var digits = text.filter { $0 != "-" && $0 != ":" }
            if digits.count == 8 { digits += "T000000" }
            if digits.count == 13 { digits += "00" }
            guard let date = CivilTime(ptp: digits) else {
                throw source.wrong(
                    "session, last-seen, all, or a date such as 2026-11-21 or 2026-11-21T18:00")
            }
            return .date(date.secondsSince1970)
        }
    }
}
