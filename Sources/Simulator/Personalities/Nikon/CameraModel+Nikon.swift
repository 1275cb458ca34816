extension CameraModel {
    static let nikonD7200 = nikon(
        "nikon-d7200",
        "D7200: any GUID, tells only who asks GetEvent (0x90C7), not ready at once; \"others push nothing\"",
        .d7200)
    static let nikonZ6 = nikon(
        "nikon-z6",
        "Z 6: pushes what it also tells (0x90C7); generation 1: \"write property ApplicationMode 0xD1F0 (u8) = 1\"",
        .z6)
    static let nikonZ6II = nikon(
        "nikon-z6ii", "Z 6II: GetEventEx (0x941C); generation 2: \"ChangeApplicationMode 0x9435(1)\"", .z6ii)
    static let nikonZ8 = nikon(
        "nikon-z8",
        "Z 8: pairs with a code, restarts its Wi-Fi then; generation 3: \"pairing ops present in DeviceInfo\"",
        .z8)

    private static func nikon(_ name: String, _ summary: String, _ model: NikonModel) -> CameraModel {
        CameraModel(
            name: name, summary: summary, dressing: { model.dress(&$0) },
            making: { NikonPersonality(card: $0, model: model) })
    }
}
