import Basics
import Bridge
import HTTPClient
import TestSupport
import Testing
import Upload
import WorldSupport

/// The same over a real socket, with the client that the programs have.
@Suite struct GallerySocketTests {
    @Test(
        "a photo goes over libcurl to a gallery whose clock is weeks from ours, with exactly the headers it wants"
    )
    func wholeWay() async throws {
        let served = try ServedGallery()
        let rig = try GalleryRig(served.gallery, ManualClock())
        let client = try CurlClient()
        let moved = Shared<UInt64>(0)
        let account = try rig.account(http: client)
        let destination = try rig.destination(
            account, http: client, onMoved: { count in moved.change { $0 += count } })
        served.gallery.expireAccessTokens()
        var jobs: [Job] = []
        for number in 1...3 {
            let bytes = jpeg(UInt64(number), 300_000 * number)
            let job = try await rig.placed(rig.job(Int64(number), "a.JPG", bytes), destination)
            let life = try #require(job.intent).expiresAt - rig.calendar.wallNow
            #expect(life > .seconds(290) && life <= .seconds(300))
            #expect(await destination.deliver(job) == .sent(isCertain: true))
            #expect(await destination.deliver(job) == .sent(isCertain: true))
            jobs.append(job)
        }
        guard case .states(let states) = await destination.ask(jobs) else {
            Issue.record("no states")
            return
        }
        for job in jobs {
            guard case .completed = states[job.id] else {
                Issue.record("\(String(describing: states[job.id]))")
                continue
            }
        }
        let gallery = served.gallery
        #expect(gallery.photos.map(\.sha256) == jobs.map(\.photo.sha256) && gallery.charges == 3)
        // The second time each is taken for sent, and its bytes may have left once more.
        #expect(moved.value >= 1_800_000 && moved.value <= 3_600_000)
        #expect(gallery.count(.refresh) == 1)
        #expect(gallery.violations.isEmpty, "\(gallery.violations)")
        await client.shutDown()
    }
}
