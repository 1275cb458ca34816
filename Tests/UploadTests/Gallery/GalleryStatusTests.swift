import Bridge
import TestSupport
import Testing
import Upload

/// What a gallery says of photos that it has been sent.
@Suite struct GalleryStatusTests {
    let rig: GalleryRig
    var gallery: ModelGallery { rig.gallery }

    init() throws {
        rig = try GalleryRig()
    }

    @Test(
        "a photo that the gallery could not use is tried again, waits, or is given up, by the gallery's code",
        arguments: [
            ("PROCESSING_TIMEOUT", "retryable"), ("STORAGE_ERROR", "retryable"),
            ("INSUFFICIENT_CREDITS", "held"), ("DECODE_FAILED", "permanent"),
            ("CHECKSUM_MISMATCH", "permanent"), ("DISMISSED", "permanent"),
        ])
    func failed(code: String, expected: String) async throws {
        let destination = try rig.destination()
        let job = try await rig.placed(1, destination)
        #expect(await destination.deliver(job) == .sent(isCertain: true))
        gallery.failProcessing(code, "it is no picture")
        let text = "the gallery could not use it: \(code): it is no picture"
        let state: ProcessingState =
            switch expected {
            case "retryable": .failedRetryable(text)
            case "held": .held(.credits, text)
            default: .failedPermanent(text)
            }
        #expect(await destination.ask([job]) == .states([job.id: state]))
        // A failed one may have a fresh place, and is still one photo.
        let again = try await rig.placed(job, destination)
        #expect(again.intent?.uploadID == job.intent?.uploadID)
        #expect(await destination.deliver(again) == .sent(isCertain: true))
        _ = await destination.ask([again])
        #expect(gallery.photos.count == 1 && gallery.charges == 1 && gallery.violations.isEmpty)
    }

    @Test(
        "fifty are asked about at once, each has its own answer, and those that the gallery does not know have none"
    )
    func many() async throws {
        let destination = try rig.destination()
        var jobs: [Job] = []
        for number in 1...50 { jobs.append(try await rig.placed(Int64(number), destination)) }
        for job in jobs.prefix(20) { _ = await destination.deliver(job) }
        gallery.forget(try #require(jobs[49].intent).uploadID)
        guard case .states(let states) = await destination.ask(jobs) else {
            Issue.record("no states")
            return
        }
        #expect(states.count == 50 && states[jobs[49].id] == .unknown && states[jobs[30].id] == .pending)
        for (job, photo) in zip(jobs.prefix(20), gallery.photos) {
            #expect(
                states[job.id]
                    == .completed(
                        Receipt(.photo(photo.id), size: job.photo.size, sha256: job.photo.sha256)))
        }
        #expect(gallery.count(.status) == 1 && gallery.violations.isEmpty)
    }
}
