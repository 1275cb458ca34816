import Basics
import HTTPServer

/// `?entered=…`: where a browser is sent that was given a pass and has brought no cookie of ours so far. If the pass comes along,
/// the browser is sent on to the address without it; if none does, the browser keeps no cookies, and the door says so.
enum EntryMark {
    static let parameter = "entered"
    /// An address that is opened later, or was sent to others, says nothing about the browser that it is opened in.
    private static let life: Int64 = 60

    static func text(at now: Timestamp) -> String { "\(parameter)=\(now.seconds)" }

    /// As the request has it; nothing where it has none, or an old one. Nodes' clocks may differ.
    static func text(of request: Request, at now: Timestamp) -> String? {
        guard let text = request.query[parameter], let moment = Page.plainNumber(text),
            (now.seconds - life...now.seconds + life).contains(Int64(moment))
        else { return nil }
        return "\(parameter)=\(moment)"
    }
}

extension GuestEndpoints {
    /// To the page, or to what the guest came for, with the pass where one was given.
    func lead(
        _ request: Request, into event: Event, to goal: PINPage.Goal?, with pass: HTTPHeader?
    ) -> Response {
        let isSure = pass == nil || door.keepsCookies(request, of: event.door)
        let query = PINPage.query(goal, isSure ? nil : EntryMark.text(at: door.wall.wallNow))
        let path = GuestAddress.page(event.slug) + (goal?.path ?? "")
        var response = GuestAddress.redirect(303, to: query.isEmpty ? path : "\(path)?\(query)")
        if let pass { response.headers.append(pass) }
        return response
    }

    /// A guest who is in is sent on to the address that others may be sent; nothing where it is that one.
    func withoutMark(_ request: Request, in event: Event, at goal: PINPage.Goal?) -> Response? {
        guard request.query[EntryMark.parameter] != nil else { return nil }
        let rest = request.query.items.filter { $0.name != EntryMark.parameter }
        return GuestAddress.redirect(
            303, to: GuestAddress.page(event.slug) + (goal?.path ?? ""), with: Query(rest))
    }

    /// The page that asks for the PIN, with a cookie by which the device is not taken for others behind its address.
    /// It leads to what was asked for, else to the event. The same for every photo, whether there is one or not.
    func closed(
        _ event: Event, _ request: Request, leadingTo goal: PINPage.Goal?,
        _ problem: PINPage.Problem? = nil
    ) async throws -> Response {
        // Where it only asks, it is answered with 200.
        let status = problem == nil ? 200 : 401
        var problem = problem
        if problem == nil, let mark = EntryMark.text(of: request, at: door.wall.wallNow),
            !door.keepsCookies(request, of: event.door)
        {
            problem = .noCookies(mark: mark)
        }
        var response = gate(status, of: event, problem, goal, request)
        if let cookie = try await door.deviceCookie(for: request) { response.headers.append(cookie) }
        return response
    }
}
