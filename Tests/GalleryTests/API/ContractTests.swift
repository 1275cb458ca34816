import Basics
import HTTPServer
import Testing

@testable import Gallery

/// The document is the truth; what every other test meets of the server is held to it where it is met.
@Suite struct ContractTests {
    @Test("every route is in the document, and the document has no other")
    func routes() throws {
        let served = Set(try GalleryGround().server.routes.map { "\($0.method) \($0.pattern)" })
        #expect(served == Set(Contract.statuses.keys))
    }

    @Test("a place of a path is a parameter of the operation, under its name")
    func parameters() throws {
        for route in try GalleryGround().server.routes {
            let operation = try #require(
                Contract.document?["paths"]?[route.pattern]?[route.method.lowercased()])
            let named = Set(
                (operation["parameters"]?.array ?? []).filter { $0["in"]?.string == "path" }.compactMap {
                    $0["name"]?.string
                })
            let places = route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }
            #expect(named == Set(places.map { String($0.dropFirst().dropLast()) }), "\(route.pattern)")
        }
    }

    @Test("what is referred to is there, and what is there is referred to")
    func references() throws {
        let document = try #require(Contract.document)
        var defined: Set<String> = []
        for kind in ["schemas", "responses", "parameters"] {
            for member in document["components"]?[kind]?.members ?? [] {
                defined.insert("#/components/\(kind)/\(member.key)")
            }
        }
        let used = Contract.references(in: document)
        #expect(used.subtracting(defined) == [])
        #expect(defined.subtracting(used) == [])
    }

    @Test("every code of a failure is in the document, and no other")
    func codes() {
        let failure = Contract.document?["components"]?["schemas"]?["Failure"]?["properties"]?["error"]
        let codes = failure?["properties"]?["code"]?["enum"]?.array?.compactMap(\.string)
        #expect(codes == APIError.Code.allCases.map(\.rawValue))
    }

    @Test("a registration that is not allowed gets an error, and no account is made")
    func noRegistration() async throws {
        let gallery = try GalleryGround(accounts: AccountSettings())
        let wish: JSONValue = [
            "email": "bob@example.org", "password": "correct horse", "displayName": "Bob",
        ]
        let answer = try await gallery.call("POST", "/auth/register", wish)
        #expect(answer.status == 403 && answer.code == "FORBIDDEN")
        #expect(try await gallery.store.accounts().isEmpty)
    }
}
