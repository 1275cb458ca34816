import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// What the article about access control says of limits is what the code has.
@Suite struct AccessArticleTests {
    private static let article = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/") + "/Sources/gallery/gallery.docc/AccessControl.md"
    }()

    private static var limits: [(name: String, value: String)] {
        let server = ServerSettings(listen: IPEndpoint.loopback(port: 0))
        return [
            ("wrong PINs a day, of a device that keeps its cookie", number(PINLimits.perDevice.tries)),
            ("tries of PINs by all else from an address, at once", number(PINLimits.perAddress.burst)),
            ("then one PIN in", seconds(PINLimits.perAddress.interval)),
            ("wrong PINs a day and address, cookies included", number(PINLimits.perDay)),
            ("new cookies a day and address", number(PINLimits.newDevices)),
            ("wrong PINs a day of an IPv6 /48", number(PINLimits.perDayOf48Bits)),
            ("wrong PINs a day at an event, without a cookie", number(PINLimits.perDayOfEvent)),
            ("log-ins of a device that has logged in before, at once", number(LoginLimits.perDevice.burst)),
            ("then one log-in in", seconds(LoginLimits.perDevice.interval)),
            ("log-ins by all else from an address, at once", number(LoginLimits.perAddress.burst)),
            ("wrong passwords a day and address", number(LoginLimits.perDay)),
            ("life of a guest's pass", "\(GuestPass.life.components.seconds / 86_400) days"),
            ("life of a password link", "\(PasswordLink.life.components.seconds / 60) minutes"),
            ("password links mailed to an account in an hour", number(PasswordLink.mostMails)),
            ("life of a link to a ZIP", "\(GuestDoor.linkLife.components.seconds / 3600) hours"),
            ("ZIPs sent to guests at a time", number(ArchiveSeats.mostForGuests)),
            ("of these, to one address", number(ArchiveSeats.mostForOneAddress)),
            ("ZIPs sent by one link at a time", number(ArchiveSeats.mostForOneLink)),
            ("ZIPs sent to hosts at a time", number(ArchiveSeats.mostForHosts)),
            ("links to a ZIP for one address, at once", number(ArchiveSeats.links.burst)),
            ("then one link in", seconds(ArchiveSeats.links.interval)),
            ("photos of a guest's selection", number(ArchiveWish.mostPhotos)),
            ("photos changed or deleted by one request", number(ManyPhotosWish.mostPhotos)),
            ("hearts of a device, at once", number(ReactionLimits.heartsPerDevice.burst)),
            ("then one of its hearts in", seconds(ReactionLimits.heartsPerDevice.interval)),
            ("hearts of an address, at once", number(ReactionLimits.heartsPerAddress.burst)),
            ("then one of its hearts in", seconds(ReactionLimits.heartsPerAddress.interval)),
            ("hearts of a device at an event", number(GalleryStore.mostHearts)),
            ("comments of a device, at once", number(ReactionLimits.commentsPerDevice.burst)),
            ("then one of its comments in", seconds(ReactionLimits.commentsPerDevice.interval)),
            ("comments a day of a device", number(ReactionLimits.commentsPerDeviceAndDay)),
            ("comments of an address, at once", number(ReactionLimits.commentsPerAddress.burst)),
            ("then one of its comments in", seconds(ReactionLimits.commentsPerAddress.interval)),
            ("comments a day of an address", number(ReactionLimits.commentsPerAddressAndDay)),
            ("devices a day and address that begin to give hearts", number(ReactionLimits.newDevices)),
            ("comments of a photo", number(Comment.mostOfPhoto)),
            ("characters of a comment", number(Comment.lengths.upperBound)),
            ("photos of a guest's device, at once", number(GuestUploadLimits.perDevice.burst)),
            ("then one of its photos in", seconds(GuestUploadLimits.perDevice.interval)),
            ("photos of guests of an address, at once", number(GuestUploadLimits.perAddress.burst)),
            ("then one of its guests' photos in", seconds(GuestUploadLimits.perAddress.interval)),
            (
                "devices a day and address that begin to bring photos",
                number(GuestUploadLimits.newDevices)
            ),
            ("unfinished photos of a guest's device", number(GuestUpload.mostOpen)),
            ("unfinished photos of guests at an event", number(GuestUpload.mostOpenInEvent)),
            (
                "credits that guests spend at an event, where its host says nothing",
                number(GuestUploadTerms.usual)
            ),
            ("connections in all", number(server.mostConnections)),
            ("connections of one address", number(server.mostConnectionsPerAddress)),
            ("requests under way of one address behind a proxy", number(server.mostRequestsPerClient)),
        ]
    }

    private static func seconds(_ span: Duration) -> String { "\(span.components.seconds) s" }

    private static func number(_ value: Int) -> String {
        value < 1000 ? "\(value)" : "\(value / 1000)," + String(String(value % 1000 + 1000).dropFirst())
    }

    @Test("the article's table of limits is the code's, row by row")
    func table() throws {
        let text = String(decoding: try readFile(Self.article), as: UTF8.self)
        let rows = text.split(separator: "\n").drop { $0 != "| limit | value |" }.dropFirst(2)
        let shown = rows.prefix { $0.hasPrefix("|") }.map(String.init)
        #expect(shown == Self.limits.map { "| \($0.name) | \($0.value) |" })
        #expect(PINLimits.perDevice.window == .seconds(86_400) && PasswordLink.mailWindow == .seconds(3600))
        #expect(LoginLimits.perAddress.interval == LoginLimits.perDevice.interval)
    }
}
