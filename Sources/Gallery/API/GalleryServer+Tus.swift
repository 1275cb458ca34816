import HTTPServer

/// Uploads that go on where they were cut.
extension GalleryServer {
    var tusRoutes: [Route] {
        let tus = TusEndpoints(
            keeper: tusKeeper,
            authority: AccountTus(store: store, accounts: accounts, settings: settings), settings: settings,
            reserve: reserve, log: log)
        return Self.routes(of: tus, at: TusEndpoints.path)
    }

    static func routes(of tus: TusEndpoints, at path: String) -> [Route] {
        let upload = "\(path)/{uploadId}"
        return [
            Route("OPTIONS", path, .quick { _ in tus.options() }),
            Route("OPTIONS", upload, .quick { _ in tus.options() }),
            Route("POST", path, .intake { await tus.create($0) }),
            Route("PATCH", upload, .intake { await tus.append($0) }),
            Route("GET", upload, .whole(limit: 0) { await tus.show($0) }),
            Route("DELETE", upload, .whole(limit: 0) { await tus.terminate($0) }),
        ]
    }

    /// "The Tus-Resumable header MUST be included in every request and response except for OPTIONS requests", also where the
    /// server itself refuses one.
    static func marksTus(_ request: Request) -> Bool {
        request.method != "OPTIONS"
            && (request.path == TusEndpoints.path || request.path.hasPrefix(TusEndpoints.folder)
                || GuestTus.isAt(request.path))
    }
}
