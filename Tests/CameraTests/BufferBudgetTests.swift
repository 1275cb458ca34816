import Camera
import Testing

@Suite struct BufferBudgetTests {
    @Test("few cameras have sixteen buffers each, many share thirty-two, and none has fewer than four")
    func shares() {
        let budget = BufferBudget()
        var workers: [PhotoWorkers] = []
        var shares: [Int] = []
        for _ in 1...10 {
            workers.append(PhotoWorkers.start(sharing: budget))
            shares.append(budget.share)
        }
        #expect(shares == [16, 16, 10, 8, 6, 5, 4, 4, 4, 4])
        for worker in workers { worker.shutDown() }
        workers = []
        #expect(budget.share == 16, "who is gone needs none")
    }
}
