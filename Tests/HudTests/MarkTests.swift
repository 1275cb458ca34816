import Basics
import Bridge
import TestSupport
import Testing

@testable import Hud

/// What an operator may say of a photo on the page. That it arrives at a gallery is seen in a browser (`tools/hud.py`).
struct MarkTests {
    @Test(
        "one thing is said at a time, within the limits of a gallery",
        arguments: [
            (#"{"rating":5}"#, #"{"rating":5}"#), (#"{"rating":0}"#, #"{"rating":0}"#),
            (#"{"caption":"a <b>"}"#, #"{"caption":"a <b>"}"#), (#"{"caption":""}"#, #"{"caption":""}"#),
            (#"{"tag":"altar"}"#, #"{"addTags":["altar"]}"#),
            (#"{"untag":"altar"}"#, #"{"removeTags":["altar"]}"#),
            (#"{"hidden":true,"confirmed":true}"#, #"{"hidden":true}"#),
            (#"{"hidden":false}"#, #"{"hidden":false}"#),
        ])
    func edits(wish: String, edit: String) throws {
        let mark = try HudMark(try JSON5.parse(wish))
        #expect(try mark.edit == PhotoEdit(try JSON5.parse(edit)) && mark.album == nil)
    }

    @Test("albums go by their names")
    func albums() throws {
        let added = try HudMark(["album": "Party"])
        #expect(added.album?.name == "Party" && added.album?.membership == .added && added.edit.isEmpty)
        #expect(try HudMark(["unalbum": "Party"]).album?.membership == .removed)
    }

    @Test(
        "what a gallery would refuse is refused at once",
        arguments: [
            (#"{"rating":6}"#, 400), (#"{"rating":-1}"#, 400), (#"{"rating":4.5}"#, 400),
            (#"{"rating":"5"}"#, 400), (#"{"rating":9223372036854775807}"#, 400), (#"{"caption":7}"#, 400),
            (#"{"tag":""}"#, 400), (#"{"tag":"\#(String(repeating: "a", count: 51))"}"#, 400),
            (#"{"album":""}"#, 400), (#"{"album":"\#(String(repeating: "a", count: 201))"}"#, 400),
            (#"{"caption":"\#(String(repeating: "a", count: 2001))"}"#, 400), ("{}", 400), ("[]", 400),
            (#"{"hidden":true}"#, 409), (#"{"hidden":true,"confirmed":1}"#, 409), (#"{"hidden":1}"#, 400),
        ])
    func refused(wish: String, status: Int) throws {
        let wish = try JSON5.parse(wish)
        #expect(throws: HudProblem.self) { try HudMark(wish) }
        do {
            _ = try HudMark(wish)
        } catch {
            #expect(error.status == status && !error.description.isEmpty)
        }
    }

    @Test(
        "a photo of no event of ours takes nothing, and neither does a stranger",
        .enabled(if: Tool.isThere("curl")))
    func doors() async throws {
        let ground = try await HudGround()
        let own = [ground.bearer, ground.origin]
        let wish = #"{"rating":5}"#
        #expect(try await ground.ask("/api/photos/1/marks", own, body: wish).status == 404)
        #expect(try await ground.ask("/api/photos/1/marks", [ground.bearer]).status == 404)
        #expect(try await ground.ask("/api/photos/1/marks", [ground.origin], body: wish).status == 401)
        #expect(
            try await ground.ask(
                "/api/photos/1/marks", [ground.bearer, "Origin: http://evil.example"], body: wish
            )
            .status == 403)
        #expect(try await ground.ask("/api/edits", own, body: #"{"edit":17}"#).status == 400)
        #expect(try await ground.ask("/api/edits", own, body: #"{"edit":18,"again":true}"#).status == 404)
        #expect(try await ground.ask("/api/edits", own, body: #"{"edit":17,"again":false}"#).status == 200)
        #expect(ground.deeds == ["settle 18 true", "settle 17 false"])
        await ground.end()
    }
}
