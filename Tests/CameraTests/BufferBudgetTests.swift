import Camera
import Testing

@Suite struct BufferBudgetTests {
    @Test("few cameras have eight buffers each, many share twenty-four, and none has fewer than three")
    func shares() {
        let budget = BufferBudget()
        var workers: [PhotoWorkers] = []
        var shares: [Int] = []
        for _ in 1...10 {
            workers.append(PhotoWorkers.start(sharing: budget))
            shares.append(budget.share)
        }
        #expect(shares == [8, 8, 8, 6, 4, 4, 3, 3, 3, 3])
        for worker in workers { worker.shutDown() }
        workers = []
        #expect(budget.share == 8, "who is gone needs none")
    }
}
