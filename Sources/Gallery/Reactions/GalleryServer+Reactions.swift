import HTTPServer

/// The routes of hearts and comments.
extension GalleryServer {
    var reactionRoutes: [Route] {
        let reactions = ReactionEndpoints(guests: guestEndpoints, devices: devices, teller: teller)
        let hosts = HostReactionEndpoints(
            store: store, reader: reader, accounts: accounts, settings: settings, teller: teller)
        return [
            route("GET", "/e/{slug}/reactions") { try await reactions.list($0) },
            route("GET", "/e/{slug}/hearts") { try await reactions.hearts($0) },
            route("PUT", "/e/{slug}/photos/{id}/heart") { try await reactions.giveHeart($0) },
            route("DELETE", "/e/{slug}/photos/{id}/heart") { try await reactions.takeHeartBack($0) },
            route("GET", "/e/{slug}/photos/{id}/comments") { try await reactions.comments($0) },
            route("POST", "/e/{slug}/photos/{id}/comments") { try await reactions.comment($0) },
            route("DELETE", "/e/{slug}/comments/{comment}") { try await reactions.removeComment($0) },
            route("GET", "/events/{id}/reactions") { try await hosts.list($0) },
            route("GET", "/events/{id}/comments") { try await hosts.comments($0) },
            route("DELETE", "/events/{id}/comments/{comment}") { try await hosts.removeComment($0) },
        ]
    }
}

extension GuestDevices {
    convenience init(_ parts: GalleryServer.Parts) {
        self.init(
            keys: parts.accounts.keys, shared: parts.accounts.sharedLimits, time: parts.time,
            wall: parts.wall, random: parts.door.random, isSecure: parts.settings.isSecure)
    }
}
