/// Which colour profile a rendition has to say.
enum ColourProfile {
    /// "Data colour space" (ICC.1:2010 §7.2.6), in a header of 128 bytes.
    private static let space = 16..<20
    private static let header = 128

    /// Nothing for sRGB, which is what everybody takes a JPEG for, and for one that is about other planes than these.
    static func kept(_ profile: [UInt8], isGrey: Bool) -> [UInt8] {
        guard profile.count > header, profile[space].elementsEqual((isGrey ? "GRAY" : "RGB ").utf8) else {
            return []
        }
        return isCommon(profile) ? [] : profile
    }

    /// Its name is in it, in ASCII or in UTF-16.
    private static func isCommon(_ profile: [UInt8]) -> Bool {
        let name = Array("sRGB".utf8)
        let wide = name.flatMap { [UInt8](arrayLiteral: 0, $0) }
        return profile.firstRange(of: name) != nil || profile.firstRange(of: wide) != nil
    }
}
