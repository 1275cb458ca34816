extension CameraModel {
    static let canonR6 = canon(
        "canon-r6",
        "EOS R6: tells only who asks GetEvent (0x9116), in 64-bit records, RAW and JPEG in one; CR3; \"later only that GUID is let in\"",
        .r6)
    static let canon80D = canon(
        "canon-80d",
        "EOS 80D: the same in 32-bit records; CR2; GetObjectInfoEx (0x9109); \"R6 and 80D still deliver pictures\" without remote mode",
        .eighty)
    static let canonM50 = canon(
        "canon-m50",
        "EOS M50: \"screen goes black\" in remote mode (0x9114); CR3; pushes \"please GetEvent\" (0xC101)",
        .m50)

    private static func canon(_ name: String, _ summary: String, _ kind: CanonModel) -> CameraModel {
        CameraModel(
            name: name, summary: summary, dressing: { kind.dress(&$0) },
            making: { CanonPersonality(kind: kind, card: $0) })
    }
}
