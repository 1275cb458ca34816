import Basics
import Bridge
import TestSupport
import Testing
import Upload
import WorldSupport

/// Names that are wanted at the same time, in a store that looks whether one is taken when an object is put, and not
/// when parts are put together.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang)))
struct S3NamesTests {
    /// A small photo's PUT arrives when the store has just said, for the last time, that nothing has its name.
    private final class LatePut: HTTPTransport {
        struct Seen: Sendable {
            var hasArrived = false
            var isDone = false
            var parts = 0
            var wasAsked = false
        }

        let store = CephModel()
        let seen = Shared(Seen())
        private let parts: Int
        /// Turns that the question has to come in, once all parts are there; none comes to who waits for the name.
        private static let patience = 100_000

        init(parts: Int) {
            self.parts = parts
        }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            if request.s3Query?.contains("partNumber=") == true {
                defer { seen.change { $0.parts += 1 } }
                return try await store.send(request)
            }
            guard request.s3Key == "A.JPG", request.s3Query == nil else {
                return try await store.send(request)
            }
            return try await request.method == "PUT" ? put(request) : ask(request)
        }

        private func put(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            seen.change { $0.hasArrived = true }
            while seen.value.parts < parts { await Task.yield() }
            for _ in 0..<Self.patience where !seen.value.wasAsked { await Task.yield() }
            defer { seen.change { $0.isDone = true } }
            return try await store.send(request)
        }

        private func ask(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            let answer = try await store.send(request)
            guard seen.value.parts >= parts else { return answer }
            seen.change { $0.wasAsked = true }
            while !seen.value.isDone { await Task.yield() }
            return answer
        }

        func forgetConnections() {}
    }

    @Test("of a photo that is delivered again it is not believed what was noted beside it the first time")
    func notedOnce() async throws {
        let spool = try TestSpool()
        let store = CephModel()
        let place = try CephPlace(spool, over: store)
        var job = try spool.job(1, "A.JPG", photoBytes(1))
        #expect(await place.destination.deliver(job).receipt?.key == "A.JPG")
        #expect(await place.destination.deliver(job).receipt?.key == "A.JPG", "as after a crash")
        job.formerName = "A.JPG"
        store.state.change { $0.altered = Array(photoBytes(2).prefix(Int(job.photo.size))) }
        #expect(await place.destination.deliver(job).receipt?.key == "A-2.JPG")
    }

    @Test("parts are not put together over a photo that comes to their name in the same instant")
    func partsAndPut() async throws {
        let spool = try TestSpool()
        let small = try spool.job(1, "A.JPG", photoBytes(1))
        let large = try spool.largeJob(2, "A.JPG", size: 66 << 20)
        let network = LatePut(parts: 9)
        let place = try CephPlace(spool, over: network)
        async let one = place.destination.deliver(small)
        while !network.seen.value.hasArrived { await Task.yield() }
        async let other = place.destination.deliver(large)
        #expect(await one.receipt?.key == "A.JPG")
        #expect(await other.receipt?.key == "A-2.JPG")
        let left = network.store.state.value
        #expect(left.replaced.isEmpty)
        #expect(left.uploads.isEmpty)
        #expect(
            left.objects == [
                "A.JPG": CephModel.Object(size: small.photo.size, noted: small.photo.sha256),
                "A-2.JPG": CephModel.Object(size: large.photo.size, noted: large.photo.sha256),
            ])
    }
}
