import PTP
import Simulator
import TestSupport
import Testing

@Suite struct CardTests {
    func card(photos: Int, _ change: (inout VirtualCard.Settings) -> Void = { _ in }) throws -> VirtualCard {
        var settings = VirtualCard.Settings()
        settings.photoSize = 10_000
        change(&settings)
        return try VirtualCard(settings, photos: photos)
    }

    func names(_ card: VirtualCard) -> [String] {
        card.objects.filter { !$0.isFolder }.map { object in
            let folder = card[object.parent]?.name ?? "?"
            return "\(folder)/\(object.name)"
        }
    }

    @Test("photos lie in DCF folders under DCF names")
    func dcf() throws {
        let card = try card(photos: 2)
        #expect(card.objects.map(\.name) == ["DCIM", "100TETHR", "TETH0001.JPG", "TETH0002.JPG"])
        #expect(card.objects[0].parent == .root && card.objects[1].parent == card.objects[0].handle)
    }

    @Test("9999 is followed by 0001 in the next folder")
    func wrap() throws {
        let card = try card(photos: 3) { $0.firstNumber = 9998 }
        #expect(names(card) == ["100TETHR/TETH9998.JPG", "100TETHR/TETH9999.JPG", "101TETHR/TETH0001.JPG"])
    }

    @Test("when the numbers end, the camera says so")
    func numbersEnd() throws {
        var card = try card(photos: 1) {
            $0.firstNumber = 9999
            $0.firstFolder = 999
        }
        #expect(throws: VirtualCard.Unusable.outOfNumbers) { try card.shoot(dated: 0, at: nil) }
    }

    @Test("a RAW and its JPEG share number and sequence, JPEG first")
    func pairs() throws {
        let card = try card(photos: 2) { $0.hasRawToo = true }
        let photos = card.objects.filter { !$0.isFolder }
        #expect(photos.map(\.name) == ["TETH0001.JPG", "TETH0001.DNG", "TETH0002.JPG", "TETH0002.DNG"])
        #expect(photos.map(\.sequence) == [1, 1, 2, 2])
        #expect(photos.map(\.format) == [.exifJPEG, .dng, .exifJPEG, .dng])
    }

    @Test("two slots are filled in turn, each with folders of its own")
    func slots() throws {
        let card = try card(photos: 4) { $0.slots = 2 }
        #expect(card.storages.map(\.rawValue) == [0x0001_0001, 0x0002_0001])
        let photos = card.objects.filter { !$0.isFolder }
        #expect(photos.map(\.storage.slot) == [1, 2, 1, 2])
        for photo in photos { #expect(card[photo.parent]?.storage == photo.storage) }
    }

    @Test("listing goes by storage, format and parent as the standard has it")
    func listing() throws {
        let card = try card(photos: 2) {
            $0.slots = 2
            $0.hasRawToo = true
        }
        let all = card.handles(storage: .all, format: 0, parent: 0)
        #expect(all.count == 8)
        #expect(card.handles(storage: card.storages[0], format: 0, parent: 0).count == 4)
        #expect(card.handles(storage: .all, format: 0xFFFF_FFFF, parent: 0).count == 4)
        #expect(card.handles(storage: .all, format: 0x3801, parent: 0).count == 2)
        #expect(card.handles(storage: .all, format: 0x3001, parent: 0).count == 4)
        #expect(
            card.handles(storage: .all, format: 0, parent: 0xFFFF_FFFF).compactMap { card[$0]?.name } == [
                "DCIM", "DCIM",
            ])
        let dcim = try #require(card.objects.first).handle
        #expect(
            card.handles(storage: .all, format: 0, parent: dcim.rawValue).compactMap { card[$0]?.name } == [
                "100TETHR"
            ])
    }

    @Test("a full card takes no photo and loses none")
    func full() throws {
        var card = try card(photos: 3) { $0.capacity = 35_000 }
        #expect(card.free == 5000)
        #expect(throws: VirtualCard.Unusable.full) { try card.shoot(dated: 0, at: nil) }
        #expect(names(card).count == 3)
        card.remove(try #require(card.objects.last).handle)
        #expect(try card.shoot(dated: 0, at: nil).count == 1)
    }

    @Test("renumbering changes every handle and nothing else")
    func renumbering() throws {
        var card = try card(photos: 3)
        let before = card.objects
        card.renumber()
        #expect(Set(before.map(\.handle)).isDisjoint(with: card.objects.map(\.handle)))
        #expect(card.objects.map(\.name) == before.map(\.name))
        for object in card.objects where object.parent != .root {
            #expect(card[object.parent]?.isFolder == true)
        }
        let new = try card.shoot(dated: 0, at: nil)
        #expect(card[new[0]]?.parent == card.objects[2].parent)
    }

    @Test("a folder of the user's is served as it is, and nothing in it is changed")
    func folder() throws {
        let folder = try TemporaryFolder()
        folder.makeFolder("DCIM")
        folder.makeFolder("DCIM/100CANON")
        let photo = PhotoTests.jpeg(150_000)
        try folder.write(try photo.bytes(0..<150_000), to: "DCIM/100CANON/IMG_0001.JPG")
        try folder.write("II*\0 raw", to: "DCIM/100CANON/IMG_0001.CR2")
        try folder.write("x", to: "DCIM/100CANON/.hidden")
        var card = try VirtualCard(VirtualCard.Settings(), folder: folder.path)
        #expect(card.objects.map(\.name).sorted() == ["100CANON", "DCIM", "IMG_0001.CR2", "IMG_0001.JPG"])
        let jpeg = try #require(card.objects.first { $0.name == "IMG_0001.JPG" })
        #expect(jpeg.format == .exifJPEG && jpeg.size == 150_000)
        #expect(jpeg.date == "20260921T141320")
        #expect(jpeg.width == photo.width && jpeg.height == photo.height)
        #expect(jpeg.thumbnailLength == photo.thumbnail?.count)
        #expect(card.objects.first { $0.name == "IMG_0001.CR2" }?.format == .undefined)
        card.remove(jpeg.handle)
        _ = try card.shoot(dated: 0, at: nil)
        #expect(
            folder.contents() == [
                "DCIM/100CANON/.hidden", "DCIM/100CANON/IMG_0001.CR2", "DCIM/100CANON/IMG_0001.JPG",
            ])
    }

    @Test("a folder without DCIM, or none at all, is refused with a sentence")
    func noCard() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: VirtualCard.UnusableFolder.self) {
            try VirtualCard(VirtualCard.Settings(), folder: folder.path)
        }
        #expect(error?.description.contains("holds no folder named DCIM") == true)
        #expect(throws: VirtualCard.UnusableFolder.self) {
            try VirtualCard(VirtualCard.Settings(), folder: folder.file("nowhere"))
        }
    }

    @Test("files that are no pictures, or broken ones, are on the card all the same")
    func brokenPictures() throws {
        let folder = try TemporaryFolder()
        folder.makeFolder("DCIM")
        var random = Seeded(11)
        let photo = try PhotoTests.jpeg(100_000).bytes(0..<100_000)
        for index in 0..<60 {
            var bytes = photo
            for _ in 0..<20 {
                bytes[Int.random(in: 2..<6000, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try folder.write(
                Array(bytes.prefix(Int.random(in: 0...8000, using: &random))), to: "DCIM/\(index).JPG")
        }
        #expect(try VirtualCard(VirtualCard.Settings(), folder: folder.path).objects.count == 61)
    }
}
