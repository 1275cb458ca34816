import Basics
import Glibc
import Imaging
import Posix
import Rendering

/// A video becomes a photo that moves: its bytes are held against what they are called, a copy is made without the places
/// where it was recorded, and of one of its frames the renditions that every photo has.
extension Processor {
    private typealias Failure = UploadStateMachine.Failure

    /// Files of one video, in the folder for what is in the making.
    private struct Making {
        let copy: String
        let frameName: String
        let frame: String
        let renditions: RenditionsInMaking

        init(_ keys: (renditions: RenditionKeys, stream: String), in folder: String) {
            copy = "\(folder)/\(keys.stream).video"
            frameName = "\(keys.stream).frame"
            frame = "\(folder)/\(frameName)"
            renditions = RenditionsInMaking(keys.renditions, in: folder)
        }

        /// What was taken over is gone already.
        func clear() {
            renditions.clear()
            for path in [copy, frame] where unlink(path) != 0 && errno != ENOENT {
                // The folder is emptied at the next start.
                continue
            }
        }
    }

    /// Nothing when it has become a photo.
    func video(from row: UploadRow, _ key: String) async throws -> UploadStateMachine.Failure? {
        let keys = try await store { try $0.videoKeys() }
        let making = Making(keys, in: storage.workshop)
        defer { making.clear() }
        let result = try await storage.withFile(key) {
            [videos] file -> Result<(PreparedVideo, PosterOutcome), VideoProblem> in
            do throws(VideoProblem) {
                let job = VideoJob(file: file, declaredType: row.contentType, copy: making.copy)
                let video = try await videos.worker.prepare(job)
                return .success((video, await Self.frame(of: file, video, videos.posters, making.frame)))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .failure(let problem):
            // Not the video's fault, or not known to be.
            if problem.code == .stopped || problem.code == .storage { throw problem }
            return Failure(.init(rawValue: problem.code.rawValue), problem.description)
        case .success((let video, let frame)):
            if let said = row.sha256, said != video.sha256 {
                return Failure(
                    .wrongHash, "its bytes have the SHA-256 \(video.sha256), and \(said) was announced")
            }
            let (poster, isFrame) = try await renditions(of: row, video, frame, making)
            try await keep(poster, making.renditions, as: keys.renditions)
            try await storage.keep(making.copy, as: keys.stream, type: row.contentType)
            let stream = NewPhoto.Video(
                key: keys.stream, size: video.size, crc: video.copyCRC,
                milliseconds: video.facts.milliseconds, hasPoster: isFrame)
            return try await complete(row, key, NewPhoto(video, poster, keys.renditions, stream, saidBy: row))
        }
    }

    /// A second after its beginning, which often is dark, or a third of what is shorter.
    private static func frame(
        of file: String, _ video: PreparedVideo, _ posters: (any PosterMaker)?, _ path: String
    ) async -> PosterOutcome {
        guard let posters else { return .none("there is no program that takes pictures out of videos") }
        let third = Duration.milliseconds((video.facts.milliseconds ?? 0) / 3)
        return await posters.poster(of: file, at: min(.seconds(1), third), to: path)
    }

    /// Renditions of a frame, or of what stands for one where there is none. A decoder that met its end at a frame did so in a
    /// process of its own, and the video is there all the same.
    private func renditions(
        of row: UploadRow, _ video: PreparedVideo, _ outcome: PosterOutcome, _ making: Making
    ) async throws -> (RenderedPhoto, isFrame: Bool) {
        switch outcome {
        case .made:
            do throws(RenderProblem) {
                let job = RenderJob(
                    file: making.frame, declaredType: "image/jpeg", making.renditions)
                return (try await renderer.render(job), true)
            } catch {
                if error.code == .stopped { throw error }
                log("upload \(row.id) has no picture of its video: \(error.description)")
            }
        case .none(let reason):
            if videos.posters != nil { log("upload \(row.id) has no picture of its video: \(reason)") }
        }
        let blank = BlankPoster.png(width: video.facts.width, height: video.facts.height)
        try await videos.keep(blank, as: making.frameName, in: storage.workshop)
        let job = RenderJob(file: making.frame, declaredType: "image/png", making.renditions)
        return (try await renderer.render(job), false)
    }
}

extension NewPhoto {
    fileprivate init(
        _ video: PreparedVideo, _ poster: RenderedPhoto, _ keys: RenditionKeys, _ stream: Video,
        saidBy row: UploadRow
    ) {
        var exif = video.facts.exif
        // Many cameras write their own clock where the standard wants UTC, so that a client that knows the time is believed.
        if exif.time.clock == nil, row.capturedAt != nil { exif.time = ExifTime() }
        self.init(
            sha256: video.sha256, crc: video.crc, size: video.size, width: video.facts.width,
            height: video.facts.height, exif: exif, renditions: Renditions(poster, keys), video: stream)
    }
}
