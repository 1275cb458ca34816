import Basics
import Bridge
import Testing

@Suite struct IdentityTests {
    let identity = PhotoIdentity(
        manufacturer: "Canon Inc.", model: "R6", body: "012345", slot: 1, folders: ["DCIM", "100CANON"],
        name: "2R7A4528.JPG", size: 1_113_532, captureDate: "20260129T230236", format: 0x3801)

    @Test("any difference makes another photo")
    func differences() {
        var others: [PhotoIdentity] = []
        func change(_ body: (inout PhotoIdentity) -> Void) {
            var other = identity
            body(&other)
            others.append(other)
        }
        change { $0.camera.manufacturer = "Nikon" }
        change { $0.camera.model = "R5" }
        change { $0.camera.body = "012346" }
        change { $0.slot = 2 }
        change { $0.folders = ["DCIM", "101CANON"] }
        change { $0.folders = ["DCIM100CANON"] }
        change { $0.name = "2R7A4529.JPG" }
        change { $0.size += 1 }
        change { $0.captureDate = "20260129T230237" }
        change { $0.format = 0xB108 }
        #expect(Set((others + [identity]).map(\.key)).count == others.count + 1)
    }

    @Test("a hostile name cannot pass for the end of a field")
    func separators() {
        var one = identity
        var other = identity
        one.name = "a\u{1F}5"
        one.size = 1
        other.name = "a"
        other.size = 51
        #expect(one.key != other.key)
    }
}
