import Glibc
import TestSupport

/// A photo with a profile that puts red where green is, and the same with what may be wrong with profiles (ICC.1:2010).
struct BadProfiles: Sendable {
    /// What has to become of the colours; the photo is one in any case.
    enum End: Sendable {
        case asWithProfile
        case asWithoutProfile
        case either
    }

    struct Case: Sendable {
        let name: String
        let bytes: [UInt8]
        let end: End

        init(_ name: String, _ bytes: [UInt8], _ end: End) {
            (self.name, self.bytes, self.end) = (name, bytes, end)
        }
    }

    /// Of colord-data and of Ghostscript.
    static let folder = "/usr/share/color/icc"
    static let swapped = "colord/SwappedRedAndGreen.icc"
    static let ofOthers = ["ghostscript/default_cmyk.icc", "ghostscript/ps_gray.icc", "ghostscript/lab.icc"]
    static let areThere = ([swapped] + ofOthers).allSatisfy { access("\(folder)/\($0)", R_OK) == 0 }

    let jpeg: [UInt8]
    let profile: [UInt8]
    /// Good ones, for other samples than a photo of three colours has.
    let others: [(name: String, profile: [UInt8])]

    private typealias Piece = (number: Int, count: Int, content: ArraySlice<UInt8>)

    // MARK: Segments (annex B.4)

    private func photo(_ pieces: [Piece], signature: String = "ICC_PROFILE\0") -> [UInt8] {
        let segments = pieces.flatMap { piece in
            let content = Array(signature.utf8) + [UInt8(piece.number), UInt8(piece.count)] + piece.content
            return [0xFF, 0xE2, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
        }
        return Array(jpeg.prefix(2)) + segments + jpeg.dropFirst(2)
    }

    func photo(with profile: [UInt8]) -> [UInt8] {
        photo(pieces(of: profile, max(1, (profile.count + 59_999) / 60_000)))
    }

    private func pieces(of profile: [UInt8], _ count: Int) -> [Piece] {
        (0..<count).map { index in
            (index + 1, count, profile[profile.count * index / count..<profile.count * (index + 1) / count])
        }
    }

    func segments() -> [Case] {
        let (four, many) = (pieces(of: profile, 4), pieces(of: profile, 255))
        var (zero, differing, counted) = (four, four, four)
        zero[0].number = 0
        differing.append((2, 4, four[1].content.dropLast() + [four[1].content.last.map { $0 ^ 1 } ?? 0]))
        counted[2].count = 5
        let huge = [UInt8](repeating: 0, count: 255 * 60_000 - profile.count)
        return [
            Case("four pieces", photo(four), .asWithProfile),
            Case("the last first", photo(four.reversed()), .asWithProfile),
            Case("each twice", photo(four + four), .asWithProfile),
            Case("255 pieces", photo(many), .asWithProfile),
            Case(
                "255 pieces, mixed", photo(many.enumerated().sorted { $0.0 % 7 < $1.0 % 7 }.map(\.1)),
                .asWithProfile),
            Case("none of the pieces but one", photo([four[1]]), .asWithoutProfile),
            Case("one of four missing", photo(Array(four.dropLast())), .asWithoutProfile),
            Case("one of 255 missing", photo(Array(many.dropFirst())), .asWithoutProfile),
            Case("a piece of number zero", photo(zero), .asWithoutProfile),
            Case("a piece twice, and differing", photo(differing), .asWithoutProfile),
            Case("pieces that count differently", photo(counted), .asWithoutProfile),
            Case("a fifth of four", photo(four + [(5, 4, profile.prefix(9))]), .asWithoutProfile),
            Case("a piece of nothing", photo([(1, 1, [])]), .asWithoutProfile),
            Case("another name", photo(four, signature: "ICC_PROFILES"), .asWithoutProfile),
            Case("half a name", photo([(1, 1, [])], signature: "ICC_PR"), .asWithoutProfile),
            Case("fifteen megabytes", photo(pieces(of: profile + huge, 255)), .either),
        ]
    }

    // MARK: Header and table (7.2 and 7.3)

    private static let table = 128

    private func changed(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
        var profile = profile
        profile.replaceSubrange(place..<place + bytes.count, with: bytes)
        return profile
    }

    private func number(_ place: Int) -> Int { profile[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }

    /// Offset and size of each tag.
    private var tags: [(place: Int, start: Int, size: Int)] {
        (0..<number(Self.table)).map { index in
            let place = Self.table + 4 + 12 * index
            return (place, number(place + 4), number(place + 8))
        }
    }

    func headers() -> [Case] {
        let end = Self.table + 4 + 12 * number(Self.table)
        var cases = [1, 4, 36, 40, 127, 128, 131, 132, 140, end - 1, end].map { count in
            Case("cut at \(count)", photo(with: Array(profile.prefix(count))), .asWithoutProfile)
        }
        cases += [end + 1, profile.count / 2, profile.count - 1].map { count in
            Case("cut at \(count)", photo(with: Array(profile.prefix(count))), .either)
        }
        cases += ["xxxx", "\0\0\0\0", "psca"].map { name in
            Case("signed \(name)", photo(with: changed(36, Array(name.utf8))), .asWithoutProfile)
        }
        cases += ["GRAY", "CMYK", "Lab ", "XYZ ", "2CLR", "FCLR", "\0\0\0\0"].map { name in
            Case("of the colours \(name)", photo(with: changed(16, Array(name.utf8))), .asWithoutProfile)
        }
        cases += ["link", "abst", "nmcl", "prtr", "scnr", "zzzz"].map { name in
            Case("of the class \(name)", photo(with: changed(12, Array(name.utf8))), .either)
        }
        cases += ["RGB ", "CMYK", "zzzz"].map { name in
            Case("connected by \(name)", photo(with: changed(20, Array(name.utf8))), .either)
        }
        for size in [0, 1, 127, profile.count - 1, profile.count + 1, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            cases.append(
                Case("of \(size) bytes, it says", photo(with: changed(0, Self.number(size))), .either))
        }
        for count in [0, 0x10000, 0x1555_5555, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            cases.append(
                Case("\(count) tags", photo(with: changed(Self.table, Self.number(count))), .asWithoutProfile)
            )
        }
        cases += [1, 2, 100, 101].map { count in
            Case("\(count) tags", photo(with: changed(Self.table, Self.number(count))), .either)
        }
        return cases + others.map { Case($0.name, photo(with: $0.profile), .asWithoutProfile) }
    }

    private static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }

    /// Where tags lie, for all of them and for one.
    func places() -> [Case] {
        let (first, count) = (tags[0], profile.count)
        let wrongs: [(String, Int?, Int?, End)] = [
            ("behind the end", count, nil, .asWithoutProfile),
            ("far behind it", 0xFFFF_FFF0, nil, .asWithoutProfile),
            ("beyond all numbers", 0xFFFF_FFF0, 0xFFFF_FFF0, .asWithoutProfile),
            ("in the table", Self.table, nil, .asWithoutProfile),
            ("in the header", 0, nil, .asWithoutProfile),
            ("of nothing", nil, 0, .asWithoutProfile), ("of seven bytes", nil, 7, .asWithoutProfile),
            ("larger than all", nil, 0xFFFF_FFFF, .asWithoutProfile),
            ("all the same", first.start, first.size, .either),
            ("each over all others", Self.table, count - Self.table, .either),
            ("a byte aside", first.start + 1, nil, .either),
        ]
        return wrongs.flatMap { name, start, size, end in
            func moved(_ places: [Int]) -> [UInt8] {
                var profile = profile
                for place in places {
                    if let start { profile.replaceSubrange(place + 4..<place + 8, with: Self.number(start)) }
                    if let size { profile.replaceSubrange(place + 8..<place + 12, with: Self.number(size)) }
                }
                return profile
            }
            return [Case("tags \(name)", photo(with: moved(tags.map(\.place))), end)]
                + tags.map { Case("tag \($0.place) \(name)", photo(with: moved([$0.place])), .either) }
        }
    }

    /// What tags hold (10.5 and 10.15): each begins with its type, and curves go on with how many points they have.
    func contents() -> [Case] {
        func filled(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
            var profile = profile
            for tag in tags where tag.size >= offset + bytes.count {
                profile.replaceSubrange(tag.start + offset..<tag.start + offset + bytes.count, with: bytes)
            }
            return profile
        }
        let types = ["curv", "para", "XYZ ", "mft1", "mft2", "mAB ", "mluc", "sf32", "zzzz"]
        return types.map {
            Case("all of the type \($0)", photo(with: filled(Array($0.utf8), at: 0)), .either)
        }
            + [Case("no types", photo(with: filled([0, 0, 0, 0], at: 0)), .asWithoutProfile)]
            + [
                Case(
                    "counts of four thousand millions", photo(with: filled([255, 255, 255, 255], at: 8)),
                    .either),
                Case("counts that overflow", photo(with: filled([0x80, 0, 0, 1], at: 8)), .either),
            ]
    }

    /// Some bytes of it are others.
    func changed(_ seed: UInt64) -> Case {
        var (random, profile) = (Seeded(seed), profile)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            // Half of them where little means much.
            let end = random.chance(50) ? Self.table + 4 + 12 * tags.count : profile.count
            profile[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
        }
        return Case("changed by chance, seed \(seed)", photo(with: profile), .either)
    }
}
