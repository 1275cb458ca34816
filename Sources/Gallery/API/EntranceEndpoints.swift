import HTTPServer
import Web

/// `/` and `/{name}`: for those who have the name of an event and no more. Which events there are is told to no client.
struct EntranceEndpoints: Sendable {
    let directory: EventDirectory
    let answers: PageAnswers

    /// The page that asks for the name, and where a name leads that was typed there.
    func entrance(_ request: Request) async throws -> Response {
        guard let typed = request.query["event"] else { return answers.answer(200, EntrancePage().html) }
        guard let address = TypedAddress(typed), try await directory.event(slug: address.slug) != nil else {
            return answers.answer(404, EntrancePage(unknown: typed).html)
        }
        return address.target
    }

    /// An address without its "/e".
    func named(_ request: Request) async throws -> Response {
        let name = request.parameters["name"] ?? ""
        if let response = GuestAddress.elsewhere(request, [name]) { return response }
        guard EventSlug.isSlug(name), EventSlug.lengths.contains(name.utf8.count),
            let event = try await directory.event(slug: name)
        else { throw APIError(.notFound, "there is nothing at this path") }
        return GuestAddress.redirect(303, to: GuestAddress.page(event.slug), with: request.query)
    }
}
