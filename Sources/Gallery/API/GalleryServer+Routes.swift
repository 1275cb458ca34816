import Basics
package import HTTPServer
import Web

/// The table of routes.
extension GalleryServer {
    package var routes: [Route] {
        accountRoutes + eventRoutes + uploadRoutes + photoRoutes + archiveRoutes + guestRoutes
            + reactionRoutes + guestUploadRoutes + downloadRoutes + operationRoutes + entranceRoutes
    }

    private var accountRoutes: [Route] {
        let accounts = accounts
        return [
            route("POST", "/auth/register") { try await accounts.register($0) },
            route("POST", "/auth/login") { try await accounts.login($0) },
            route("POST", "/auth/refresh") { try await accounts.refresh($0) },
            route("POST", "/auth/logout") { try await accounts.logout($0) },
            route("GET", "/me") { try await accounts.me($0) },
            route("POST", "/auth/forgot") { try await accounts.forgotPassword($0) },
            route("POST", "/auth/reset") { try await accounts.setPassword($0) },
            route("DELETE", "/me") { try await accounts.deleteMe($0) },
            route("POST", "/me/password") { try await accounts.changePassword($0) },
            route("GET", "/me/sessions") { try await accounts.sessions($0) },
            route("DELETE", "/me/sessions") { try await accounts.endOtherSessions($0) },
            route("DELETE", "/me/sessions/{id}") { try await accounts.endSession($0) },
            route("GET", "/consent") { try await accounts.consent($0) },
            route("POST", "/consent") { try await accounts.giveConsent($0) },
        ]
    }

    private var eventRoutes: [Route] {
        let events = EventEndpoints(
            store: store, reader: reader, accounts: accounts, door: door, settings: settings)
        let cameras = CameraEndpoints(store: store, reader: reader, accounts: accounts)
        let albums = AlbumEndpoints(store: store, reader: reader, accounts: accounts)
        let logos = LogoEndpoints(
            store: store, reader: reader, accounts: accounts, storage: storage, renderer: renderer,
            settings: settings, reserve: reserve)
        return [
            route("GET", "/events") { try await events.list($0) },
            route("POST", "/events") { try await events.make($0) },
            route("GET", "/events/{id}") { try await events.show($0) },
            route("PATCH", "/events/{id}") { try await events.change($0) },
            route("DELETE", "/events/{id}") { try await events.delete($0) },
            route("GET", "/events/{id}/cameras") { try await cameras.list($0) },
            route("PATCH", "/events/{id}/cameras/{serial}") { try await cameras.change($0) },
            route("GET", "/events/{id}/albums") { try await albums.list($0) },
            route("POST", "/events/{id}/albums") { try await albums.make($0) },
            route("PATCH", "/events/{id}/albums/{albumId}") { try await albums.change($0) },
            route("DELETE", "/events/{id}/albums/{albumId}") { try await albums.delete($0) },
            route("PUT", "/events/{id}/logo") { try await logos.put($0) },
            route("DELETE", "/events/{id}/logo") { try await logos.delete($0) },
            route("POST", "/events/{id}/key") { try await events.renewKey($0) },
            route("GET", "/events/{id}/qr.svg") { try await events.qrCode($0) },
        ]
    }

    private var uploadRoutes: [Route] {
        let processor = processor
        let uploads = UploadEndpoints(
            store: store, storage: storage, accounts: accounts, sweeper: sweeper, settings: settings,
            reserve: reserve
        ) { processor.lookAgain() }
        return [
            route("POST", "/uploads/presign") { try await uploads.presign($0) },
            route("POST", "/uploads/{uploadId}/presign") { try await uploads.presignAgain($0) },
            route("GET", "/uploads/status") { try await uploads.status($0) },
            route("GET", "/uploads/photos") { try await uploads.photos($0) },
            route("GET", "/uploads/events/{eventId}") { try await uploads.list($0) },
            route("POST", "/uploads/events/{eventId}/{uploadId}/retry") { try await uploads.retry($0) },
            route("POST", "/uploads/events/{eventId}/retry-all") { try await uploads.retryAll($0) },
            route("POST", "/uploads/events/{eventId}/dismiss-all") { try await uploads.dismissAll($0) },
            route("POST", "/uploads/events/{eventId}/{uploadId}/dismiss") { try await uploads.dismiss($0) },
        ] + tusRoutes + (storage.intake.map { [intake($0)] } ?? [])
    }

    private func intake(_ places: FolderUploadEndpoint) -> Route {
        Route(
            "PUT", FolderUploadEndpoint.pattern,
            .intake { [reserve] request in
                guard reserve?.hasRoom() ?? true else { return .refuse(APIError.diskFull.response) }
                return await places.intake(request)
            })
    }

    private var photoRoutes: [Route] {
        let photos = PhotoEndpoints(
            store: store, reader: reader, lists: lists, accounts: accounts, settings: settings)
        let image = ImageEndpoint(
            images: images, storage: storage, door: door, accounts: self.accounts, delivery: settings.images)
        let log = log
        let images = Route(
            "GET", "/images/{key}",
            .quickOr(
                { image.answerNow($0) },
                otherwise: { request in await Self.answer(request, log) { try await image.answer(request) } })
        )
        let sync = sync
        let accounts = accounts
        return [
            route("GET", "/events/{id}/photos") { try await photos.list($0) },
            route("PATCH", "/photos") { try await photos.changeAll($0) },
            route("POST", "/photo-deletions") { try await photos.deleteAll($0) },
            route("GET", "/photos/{id}") { try await photos.show($0) },
            route("PATCH", "/photos/{id}") { try await photos.change($0) },
            route("DELETE", "/photos/{id}") { try await photos.delete($0) },
            images,
            route("POST", "/sync") { request in
                try await sync.sync(request, of: try await accounts.authenticate(request))
            },
        ]
    }

    var guestEndpoints: GuestEndpoints {
        GuestEndpoints(
            store: store, reader: reader, lists: lists, accounts: accounts, door: door, settings: settings,
            feeds: feeds, directory: directory, timelines: timelines, sections: sections,
            answers: answers)
    }

    /// The guests' page has its style sheet in itself.
    private var answers: PageAnswers {
        PageAnswers(imageSources: imageSources, ownSheets: [PageAssets.guestSheet])
    }

    private var archiveRoutes: [Route] {
        let guests = guestEndpoints
        let archives = ArchiveEndpoints(
            guests: guests, storage: storage, desk: ArchiveDesk(reader: reader),
            seats: ArchiveSeats(time: time), devices: devices, downloads: downloads, time: time, log: log,
            activity: activity)
        return [
            route("POST", "/events/{id}/zip-link") { try await archives.hostLink($0) },
            route("GET", "/events/{id}/zip") { try await archives.hostZip($0) },
            route("POST", "/e/{slug}/zip-link") { try await archives.guestLink($0) },
            route("GET", "/e/{slug}/zip") { try await archives.guestZip($0) },
        ]
    }

    private var guestRoutes: [Route] {
        let (guests, answers) = (guestEndpoints, answers)
        let hostPage = KeptCompression()
        let storage = storage
        return [
            // No event is called so: names have no dot.
            Route("GET", "/e/sw.js", .quick { _ in ServiceWorker.answer }),
            route("GET", "/e/{slug}") { try await guests.page($0) },
            route("GET", "/e/{slug}/photos") { try await guests.photos($0) },
            route("GET", "/e/{slug}/timeline") { try await guests.timeline($0) },
            route("GET", "/e/{slug}/albums") { try await guests.albums($0) },
            route("GET", "/e/{slug}/live") { try await guests.live($0) },
            route("GET", "/e/{slug}/show") { try await guests.show($0) },
            route("GET", "/e/{slug}/p/{id}") { try await guests.photo($0) },
            route("GET", "/e/{slug}/manifest.webmanifest") { try await guests.manifest($0) },
            route("GET", "/e/{slug}/look.css") { try await guests.lookSheet($0) },
            route("GET", "/e/{slug}/logo/{key}") { try await guests.logo($0, from: storage) },
            route("POST", "/e/{slug}/access") { try await guests.access($0) },
            // Where the address bar stands after a wrong PIN: it is loaded again, and sent on to others.
            route("GET", "/e/{slug}/access") { request in
                GuestAddress.redirect(303, to: GuestAddress.page(request.parameters["slug"] ?? ""))
            },
            route("GET", "/e/{slug}/qr.svg") { try await guests.qrCode($0) },
            route("GET", "/events/{id}/live") { try await guests.liveByID($0) },
            Route(
                "GET", "/host",
                .quick { _ in
                    var response = answers.answer(200, HostPage.html)
                    response.compression = .once(hostPage)
                    return response
                }),
            Route(
                "GET", "/assets/{version}/{name}",
                .quick { PageAssets.set.answer($0) ?? APIError.notFound("file").response }),
        ]
    }

    /// For guests who have a name and no more.
    private var entranceRoutes: [Route] {
        let entrance = EntranceEndpoints(
            directory: directory, answers: answers)
        return [route("GET", "/") { try await entrance.entrance($0) }]
    }

    private var operationRoutes: [Route] {
        let server = self
        let document = KeptCompression()
        return [
            Route("GET", "/health", .quick { _ in .data(["status": .string("ok")]) }),
            route("GET", "/ready") { try await server.ready($0) },
            route("GET", "/metrics") { request in
                guard server.settings.mayReadMetrics(request.client) else {
                    throw APIError(
                        .forbidden,
                        "figures are for this machine; 'gallery serve --metrics-from \(request.peer)' lets "
                            + "this address read them")
                }
                return .text(
                    200, await server.metricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(
                "GET", "/openapi.json",
                .quick { _ in
                    var response = Response.text(
                        200, OpenAPI.document, type: "application/json",
                        headers: [HTTPHeader("Cache-Control", "no-cache")])
                    response.compression = .once(document)
                    return response
                }),
        ]
    }
}
