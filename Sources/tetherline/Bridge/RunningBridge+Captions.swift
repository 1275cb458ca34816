import Bridge
import Console

extension RunningBridge {
    /// What follows from photos, and what goes with them.
    func runServices() async {
        async let captions: Void? = captions?.run()
        async let copying: Void = copies.run { report.note($0) }
        async let withdrawing: Void = images.run(copies.copy) { report.note($0) }
        _ = await (services.run(), captions, copying, withdrawing)
    }
}

extension CaptionDesk {
    /// Where uploads are told, so that what was made for a delivery goes once the ledger knows its end.
    static func noting(
        _ captions: CaptionDesk?, for board: StatusBoard
    ) -> @Sendable (UploadEvent) -> Void {
        { news in
            captions?.note(news)
            board.tell(.upload(news))
        }
    }
}
