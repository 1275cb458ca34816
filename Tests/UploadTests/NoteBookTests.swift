import Bridge
import Testing
import Upload

@Suite struct NoteBookTests {
    private func change(_ job: Int64) -> JobChange {
        JobChange(JobID(job), from: .staged, to: .uploading, attempts: 0, due: Timestamp(milliseconds: 0))
    }

    @Test("what is noted is written 5 ms after the first of it, or 60 ms where more photos wait")
    func moments() {
        var book = NoteBook()
        #expect(book.due(inARow: false) == nil && book.due(inARow: true) == nil)
        book.add(change(1), at: .seconds(1))
        book.add(change(2), at: .milliseconds(1004))
        #expect(book.due(inARow: false) == .milliseconds(1005))
        #expect(book.due(inARow: true) == .milliseconds(1060))
        #expect(book.jobs == [JobID(1), JobID(2)])
        #expect(book.takeAll() == [change(1), change(2)])
        #expect(book.due(inARow: false) == nil && book.jobs.isEmpty)
    }

    @Test(
        "what is ready lasts longer than what is noted waits, so that the next goes without waiting for the disk"
    )
    func inTime() throws {
        var book = NoteBook()
        book.add(change(1), at: .zero)
        // Noted when half of what is ready is gone.
        #expect(try #require(book.due(inARow: true)) < UploadScheduler.ahead / 2)
    }
}
