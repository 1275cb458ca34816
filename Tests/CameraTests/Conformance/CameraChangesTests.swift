import Bridge
import Camera
import TestSupport
import Testing

/// What a camera tells by itself, for one reader.
@Suite struct CameraChangesTests {
    private func added(_ number: Int) -> CameraChange { .added(PhotoReference("\(number)")) }

    private func drained(_ changes: CameraChanges) async -> [CameraChange] {
        var read: [CameraChange] = []
        for await change in changes { read.append(change) }
        return read
    }

    @Test("changes come in their order, and what was told before the end is read after it")
    func order() async {
        let changes = CameraChanges()
        let told: [CameraChange] = [added(1), .mayHaveMore, added(2), .busy(true), .busy(false), added(1)]
        for change in told { changes.push(change) }
        changes.finish()
        #expect(await drained(changes) == told)
    }

    @Test("the same twice in a row says nothing new, unless the first was read already")
    func twice() async {
        let changes = CameraChanges()
        let reader = changes.makeAsyncIterator()
        changes.push(.mayHaveMore)
        #expect(await reader.next() == .mayHaveMore)
        for change in [CameraChange.mayHaveMore, .mayHaveMore, added(1), .mayHaveMore] {
            changes.push(change)
        }
        changes.finish()
        #expect(await drained(changes) == [.mayHaveMore, added(1), .mayHaveMore])
    }

    @Test(
        "what comes beyond the limit is lost, and that is told behind what was kept: look at everything again"
    )
    func overflow() async {
        let changes = CameraChanges()
        let told = (0..<5000).map { added($0) }
        for change in told { changes.push(change) }
        let reader = changes.makeAsyncIterator()
        for expected in told.prefix(CameraChanges.limit) { #expect(await reader.next() == expected) }
        #expect(await reader.next() == .cardsChanged)
        changes.push(added(1))
        changes.finish()
        #expect(await drained(changes) == [added(1)], "it is told once")
    }

    @Test("who waits is told as soon as something comes, and let go when the task is taken back")
    func waiting() async {
        let changes = CameraChanges()
        let next = Task { await changes.makeAsyncIterator().next() }
        changes.push(.mayHaveMore)
        #expect(await next.value == .mayHaveMore)
        let cancelled = Task { await changes.makeAsyncIterator().next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
    }
}
