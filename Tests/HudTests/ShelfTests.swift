import Testing

@testable import Hud

@Suite struct ShelfTests {
    private func key(_ number: Int) -> PictureShelf.Key { PictureShelf.Key(photo: "\(number)", size: .tile) }

    @Test("what was asked for longest ago makes room, and no more is kept than may be")
    func bounded() {
        var shelf = PictureShelf(limit: 30)
        for number in 1...3 { shelf.put([UInt8](repeating: 0, count: 10), for: key(number)) }
        #expect(shelf.take(key(1)) != nil)
        shelf.put([UInt8](repeating: 0, count: 10), for: key(4))
        #expect(shelf.take(key(2)) == nil && shelf.take(key(1)) != nil && shelf.take(key(3)) != nil)
        for number in 5...1000 { shelf.put([UInt8](repeating: 0, count: number % 31), for: key(number)) }
        #expect(shelf.count <= 30)
        shelf.put([UInt8](repeating: 0, count: 31), for: key(2000))
        #expect(shelf.take(key(2000)) == nil)
    }
}
