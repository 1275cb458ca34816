/// A JPEG with another behind it, as CIPA DC-007 has it.
enum MultiPicture {
    static func segment(_ marker: UInt8, _ text: String) -> [UInt8] { segment(marker, Array(text.utf8)) }

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }

    static func file(_ first: [UInt8], _ second: [UInt8], behind: [UInt8] = []) -> [UInt8] {
        // Behind the segments that stand first: APP0 and EXIF.
        var place = 2
        while first[place + 1] == 0xE0 || first[place + 1] == 0xE1 {
            place += 2 + Int(first[place + 2]) << 8 + Int(first[place + 3])
        }
        let length = 8 + header(firstSize: 0, offset: 0, secondSize: 0).count
        let size = first.count + length + behind.count
        let payload =
            Array("MPF\0".utf8)
            + header(firstSize: size, offset: size - place - 8, secondSize: second.count)
        return first[..<place] + segment(0xE2, payload) + behind + first[place...] + second
    }

    private static func four(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
    private static func two(_ number: Int) -> [UInt8] { Array(four(number).prefix(2)) }

    /// An index IFD with its version, the number of images, and their entries.
    private static func header(firstSize: Int, offset: Int, secondSize: Int) -> [UInt8] {
        let version = two(0xB000) + two(7) + four(4) + Array("0100".utf8)
        let number = two(0xB001) + two(4) + four(1) + four(2)
        let entries = two(0xB002) + two(7) + four(32) + four(50)
        let images =
            four(0x030000) + four(firstSize) + four(0) + four(0)
            + four(0x010001) + four(secondSize) + four(offset) + four(0)
        return Array("II*\0".utf8) + four(8) + two(3) + version + number + entries + four(0) + images
    }
}
