import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

extension SetupWorker {
    /// The gallery's address in its one spelling. The password is asked for by the command that sends it.
    func logIn(_ login: SetupLogin) async throws -> String {
        let address: GalleryAddress
        do throws(GalleryAddress.Invalid) {
            address = try GalleryAddress(login.gallery, allowsPlain: login.isPlain)
        } catch {
            throw CommandRouter.Refused(description: "\(error)")
        }
        var words = [login.newName == nil ? "login" : "register", "\(address)", "--email=\(login.email)"]
        if login.isPlain { words.append("--plain-http") }
        if let name = login.newName { words.append("--name=\(name)") }
        if let code = login.invitation { words.append("--invite=\(code)") }
        _ = try await LoginCommand(invocation(words), isNew: login.newName != nil).run(on: reactor)
        return "\(address)"
    }

    func consent(at gallery: String, gives: Bool) async throws -> Happening {
        let consent = try await door(at: gallery) { try await $0.consent(gives: gives) }
        return .consent(
            version: consent.versionText, terms: consent.terms == nil ? [] : consent.termLines,
            isGiven: consent.isGiven)
    }

    func events(at gallery: String) async throws -> [SetupEvent] {
        try await door(at: gallery) { try await $0.events() }.map { SetupEvent(id: $0.id, name: $0.name) }
    }

    func createEvent(_ name: String, at gallery: String) async throws -> SetupEvent {
        let event = try await door(at: gallery) { try await $0.createEvent(named: name) }
        return SetupEvent(id: event.id, name: event.name)
    }

    /// A run without options goes into it: what the settings say of an event or a server would count more.
    func select(_ event: SetupEvent, at gallery: String) async throws -> String {
        try await door(at: gallery) { door in
            _ = try await GalleryEventsCommand(invocation(["events", "select", event.id]), door).run()
        }
        let run = try Settings.read(from: home).run
        if run.event != nil { _ = try SettingsEdit(home, "run.event").unset() }
        if run.server != nil { _ = try SettingsEdit(home, "run.server").unset() }
        return gallery
    }

    private func door<Value>(
        at gallery: String, _ body: (GalleryDoor) async throws -> Value
    ) async throws -> Value {
        var value: Value?
        _ = try await GalleryDoor.open(invocation(["whoami", "--server", gallery]), on: reactor) { door in
            value = try await body(door)
            return .success
        }
        guard let value else { preconditionFailure("a door that was opened was used") }
        return value
    }
}
