import TestSupport
import Testing

/// What a photographer marks on a body of each make decides what `tetherline run` takes: protection, ratings, and what was
/// written beside a photo.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct MarkedPhotosTests {
    struct Body: Sendable, CustomTestStringConvertible {
        let model: String
        var script = ""

        var testDescription: String { model }

        func camera(_ more: String, _ arguments: String...) throws -> Camsim {
            let folder = try TemporaryFolder()
            try folder.write("\(script)\n\(more)\n", to: "faults")
            return try Camsim(
                Daemon(
                    Built.camsim,
                    ["--listen", "127.0.0.1:0", "--model", model, "--faults", folder.file("faults")]
                        + arguments))
        }
    }

    /// A Sony in PC Remote gives photos out of its memory, and says nothing of them but what they are.
    static let bodies = [
        Body(model: "canon-r6"), Body(model: "canon-80d"), Body(model: "nikon-z8", script: "nikon-paired"),
        Body(model: "sony-a7m3", script: "sony-send-to-computer"),
    ]

    private func taken(_ camera: Camsim, _ options: String..., says sentence: String) throws -> Set<String> {
        let person = try Operator()
        let run = try person.run(
            person.arguments([camera], ["--once", "--since", "all", "--idle", "0s"] + options))
        #expect((run.text + run.errors).contains(sentence), "\(run.text)\(run.errors)")
        return Set(try person.arrived().keys)
    }

    @Test("what is protected on the body is taken, and nothing else", arguments: bodies)
    func protected(body: Body) throws {
        let camera = try body.camera("protected skip=1 times=2", "--photos", "4", "--photo-size", "20000")
        let names = try taken(
            camera, "--only-protected", says: "2 not protected on the camera (--only-protected)")
        #expect(names.count == 2)
        for number in [2, 3] { #expect(names.contains { $0.hasSuffix("000\(number).JPG") }, "\(names)") }
    }

    @Test(
        "where a body lists MTP's properties, what has enough stars is taken",
        arguments: bodies.filter { !$0.model.hasPrefix("sony") })
    func rated(body: Body) throws {
        // From one star on, in turn: four, five, none, one.
        let camera = try body.camera("object-properties", "--photos", "7", "--photo-size", "20000")
        let names = try taken(camera, "--min-rating", "4", says: "5 rated too low (--min-rating)")
        #expect(names.count == 2)
        for number in [4, 5] { #expect(names.contains { $0.hasSuffix("000\(number).JPG") }, "\(names)") }
    }

    @Test(
        "a Sony that lists its card while it shoots tells ratings there, and what has enough stars is taken")
    func ratedInList() throws {
        let body = Body(model: "sony-a7m4", script: "sony-contents rated=yes\nsony-saves to=card")
        let camera = try body.camera("", "--photos", "7", "--photo-size", "20000")
        let names = try taken(
            camera, "--driver", "sony:contents", "--min-rating", "4", says: "5 rated too low (--min-rating)")
        #expect(names.count == 2)
        for number in [4, 5] { #expect(names.contains { $0.hasSuffix("000\(number).JPG") }, "\(names)") }
    }

    @Test("a body that tells no ratings has that said of it, with what to do instead")
    func unrated() throws {
        let camera = try Self.bodies[0].camera("", "--photos", "2", "--photo-size", "20000")
        #expect(try taken(camera, "--min-rating", "1", says: "use --only-protected instead") == [])
    }

    @Test("a voice memo and a sidecar come with their photo, and not without it", arguments: bodies)
    func companions(body: Body) throws {
        let card = try TemporaryFolder()
        card.makeFolder("DCIM")
        card.makeFolder("DCIM/100MEMOS")
        for name in ["A.JPG", "A.NEF", "A.WAV", "A.XMP", "B.NEF", "B.WAV", "C.WAV"] {
            try card.write(name + String(repeating: ".", count: 3000), to: "DCIM/100MEMOS/\(name)")
        }
        let camera = try body.camera("", "--card", card.path)
        let names = try taken(camera, "--take", "jpeg", says: "3 to download")
        #expect(names == ["A.JPG", "A.WAV", "A.XMP"])
    }
}
