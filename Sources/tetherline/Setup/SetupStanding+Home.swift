import Basics
import Bridge
import Camera
import Posix
import Store
import Upload

extension SetupStanding {
    /// What this home has: in its settings, in its ledger, and of log-ins.
    init(of home: Home) throws {
        self.init()
        let settings = try Settings.read(from: home)
        namesCameras = !settings.run.cameras.isEmpty
        logins = try CredentialsFile(folder: home.path).read().entries.map(\.server)
        event = settings.run.event
        places = settings.run.destinations.map(\.url)
        gallery = settings.run.server.map { "\($0)" }
        let reader: LedgerReader
        do {
            reader = try home.reader()
        } catch is NothingThere {
            if let gallery { places.append(gallery) }
            return
        }
        cameras = try reader.homeCameras().map { SetupCamera($0) }
        var known: BridgeEvent?
        if let event {
            known = try reader.event(event)
        } else if let selection = try reader.selection() {
            known = selection.event
            event = selection.event.name
            gallery = gallery ?? selection.server
        }
        let used =
            try known.map { try reader.knownDestinations(of: $0.id).filter { $0.removedAt == nil } } ?? []
        for url in used.map(\.url) + (gallery.map { [$0] } ?? []) where !places.contains(url) {
            places.append(url)
        }
    }
}

extension SetupCamera {
    init(_ camera: HomeCamera) {
        let place = camera.place ?? camera.name ?? camera.model ?? "?"
        let usual = ":\(TCPLinks.usualPort)"
        let host = place.hasSuffix(usual) ? String(place.dropLast(usual.count)) : place
        self.init(
            name: camera.name ?? camera.model ?? host, host: host,
            isPaired: camera.body != nil || camera.hasLetIn,
            toPress: DiscoverView.toPress(on: camera.body?.manufacturer ?? camera.model))
    }
}
