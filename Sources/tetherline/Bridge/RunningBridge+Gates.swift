import Basics
import Bridge
import Posix
import Store
import Upload

/// What keeps photos from arriving and can be known at once, each with the command that mends it.
extension RunningBridge {
    func noteClosedGates() async throws {
        let run = command.settings.run
        if run.searches, try await ledger.homeCameras().isEmpty {
            report.note(
                "this home has no camera yet: 'tetherline setup camera' finds one, 'tetherline camera add HOST' adds one by its "
                    + "address")
        }
        if !run.cameras.isEmpty, try await ledger.destinations(of: event).isEmpty {
            report.note(
                "'\(event.name)' has no destination, and photos stay in the spool: 'tetherline setup destination' asks where "
                    + "they go, 'tetherline destination add URL' adds a place")
        }
    }

    /// An event of this home alone may be called as one at a gallery is: the operator may have meant that one. Galleries that do
    /// not answer are no news: nothing is to be sent there.
    func noteNamesake(by time: any TimeSource) async {
        guard !deliveries.destinations.contains(where: { $0.kind == .gallery }) else { return }
        let file = CredentialsFile(folder: command.home.path)
        do {
            for entry in try file.read().entries {
                let address = try GalleryAddress(entry.server, allowsPlain: true)
                let account = GalleryAccount(
                    api: GalleryAPI(address, http: uplink.client, wall: SystemWallTime()), file: file,
                    time: time,
                    executor: threads.make("account"), mayRefresh: true)
                let events = try await account.perform { token throws(GalleryError) in
                    try await account.api.events(token)
                }
                guard events.contains(where: { $0.name == event.name }) else { continue }
                report.note(
                    "\(address) has an event '\(event.name)' too, and this run delivers nothing there: to have photos "
                        + "there, end it, choose that event with 'tetherline events select NAME', and run again"
                )
            }
        } catch {
            // A file that cannot be read, an account that was logged out: nothing of this run needs them.
            return
        }
    }

    /// A gallery says only when the first photo comes that its terms have not been agreed to; it is asked before. One that
    /// does not answer says why when something is sent there.
    func noteMissingConsent() async {
        for account in deliveries.galleries {
            do throws(GalleryError) {
                let consent = try await account.perform { token throws(GalleryError) in
                    try await account.api.consent(token)
                }
                guard !consent.isGiven else { continue }
                report.note(
                    "\(account.api.address) takes no photo until you agree to its terms: tetherline consent --give"
                )
            } catch {
                if case .loggedOut = error {
                    report.note("\(account.api.address) takes no photo until you log in: \(error)")
                }
            }
        }
    }
}
