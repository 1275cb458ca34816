import HTTPServer
import Web

/// `/` and `/{name}`: for those who have the name of an event and no more. Which events there are is told to no client.
struct EntranceEndpoints: Sendable {
    let directory: EventDirectory
    let answers: PageAnswers

    /// The page that asks for the name, and where a name leads that was typed there.
    func entrance(_ request: Request) async throws -> Response {
        guard let typed = request.query["event"] else {
            return answers.answer(to: request) { EntrancePage(language: $0).html }
        }
        guard let address = TypedAddress(typed), try await directory.event(slug: address.slug) != nil else {
            return answers.answer(404, to: request) { EntrancePage(unknown: typed, language: $0).html }
        }
        return address.target
    }
}
