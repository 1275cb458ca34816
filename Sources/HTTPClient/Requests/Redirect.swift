import Basics

/// Where an answer leads, and what of a request may go there.
///
/// libcurl would send headers that were set by hand wherever it is led; so it follows nothing, and this decides.
enum Redirect {
    private static let statuses: Set = [301, 302, 303, 307, 308]
    /// All that a stranger needs to know. What is not here may be a credential.
    private static let harmless: Set = [
        "accept", "accept-language", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "range", "user-agent",
    ]

    /// Nothing when the answer is to be taken as it is: because it leads nowhere, or from HTTPS to HTTP.
    static func next(_ response: HTTPResponse, to request: HTTPRequest) throws(HTTPFailure) -> HTTPRequest? {
        guard statuses.contains(response.status), ["GET", "HEAD"].contains(request.method),
            let location = response["Location"]
        else { return nil }
        let here = try Address(request.url)
        guard let there = try here.following(location), there.scheme == "https" || there.scheme == here.scheme
        else { return nil }
        var next = request
        next.url = there.url
        if there.origin != here.origin {
            next.headers = request.headers.filter { harmless.contains($0.name.lowercased()) }
        }
        return next
    }
}
