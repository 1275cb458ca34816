import Basics
import Bridge
import Posix
import Store
import Upload

extension SetupWorker {
    /// The place as the settings name it, once a small file has arrived there.
    func use(_ place: SetupPlace) async throws -> String {
        let written = try written(place.address)
        if Self.hasPassword(written) {
            throw Unclear(
                description:
                    "Leave the password out of the address: it is asked for, and kept in a file of its own.")
        }
        do throws(AddressProblem) {
            _ = try DestinationAddress(written)
        } catch {
            throw Unclear(description: "\(error)")
        }
        let login = try await secret(for: written)
        let url =
            login.map { written + (written.contains("?") ? "&" : "?") + "credentials=\($0.path)" } ?? written
        do {
            if place.isTried { try await trial(of: url, as: written) }
        } catch {
            try login?.forget()
            throw error
        }
        let named = place.replaces ? [] : try Settings.read(from: home).run.destinations.map(\.url)
        _ = try SettingsEdit(home, "run.destinations").set(named.filter { $0 != url } + [url])
        if let event = place.event { _ = try SettingsEdit(home, "run.event").set([event]) }
        return url
    }

    private static func hasPassword(_ url: String) -> Bool {
        let authority = url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return false }
        return authority[..<at].contains(":")
    }

    /// A path is a folder here.
    private func written(_ text: String) throws -> String {
        guard !text.contains("://") else { return text }
        var path = text
        if text == "~" || text.hasPrefix("~/"), let own = Program.environment("HOME") {
            path = own + text.dropFirst()
        }
        guard path.hasPrefix("/") else {
            throw Unclear(
                description:
                    "'\(text)' is neither the whole path of a folder, such as /media/usb/wedding, nor one of \(DestinationAddress.kinds)."
            )
        }
        return FolderAddress.url(path: path, template: nil)
    }

    /// `written`: as it was typed.
    private func trial(of url: String, as written: String) async throws {
        let address = try DestinationAddress(url)
        if let problem = try DestinationChange.missingDisk(for: address) {
            throw CommandRouter.Refused(description: "\(written): \(problem)")
        }
        try DestinationChange.makeFolder(address)
        let test = DestinationTest(home: home, isJSON: false)
        let outcomes = try await test.outcomes(of: [.direct(address, written: url)], on: reactor)
        for (_, outcome) in outcomes {
            if let problem = DestinationTest.problem(outcome, isNamed: false) {
                throw CommandRouter.Refused(description: "\(written): \(problem)")
            }
        }
        printOutput(Visible("\(written) works: a small file was written, read back and removed").description)
    }
}
