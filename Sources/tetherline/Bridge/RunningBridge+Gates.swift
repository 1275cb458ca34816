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
