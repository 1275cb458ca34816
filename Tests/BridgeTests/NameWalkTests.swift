import Bridge
import Testing

/// How a photo gets a name, against a model of a place where others put files, too.
@Suite struct NameWalkTests {
    static let sha256 = String(repeating: "0123456789abcdef", count: 4)

    /// What lies at the place; the photo is 10 bytes large and called "ours".
    private struct Model {
        var files: [String: (size: UInt64, content: String)] = [:]
        var folders: Set<String> = []
        /// What the place says to the next claims, whatever lies there.
        var answers: [NameWalk.Claim] = []
        /// Appears when the first claim is made.
        var late: (name: String, size: UInt64, content: String)?
        var asked: [String] = []

        mutating func run(_ walk: NameWalk) -> NameWalk.Outcome {
            var walk = walk
            while true {
                switch walk.step {
                case .look(let name):
                    asked.append("look \(name)")
                    if folders.contains(name) {
                        walk.saw(.other)
                    } else {
                        walk.saw(files[name].map { .file(size: $0.size) } ?? .nothing)
                    }
                case .compare(let name):
                    asked.append("compare \(name)")
                    walk.compared(isSame: files[name]?.content == "ours")
                case .claim(let name):
                    asked.append("claim \(name)")
                    if let late { files[late.name] = (late.size, late.content) }
                    late = nil
                    if !answers.isEmpty {
                        walk.claimed(answers.removeFirst())
                    } else if files[name] == nil, !folders.contains(name) {
                        files[name] = (10, "ours")
                        walk.claimed(.done)
                    } else {
                        walk.claimed(.taken)
                    }
                case .ended(let ending): return ending
                }
            }
        }
    }

    private func walk(preferred: [String] = [], claimsUnseen: Bool = false) -> NameWalk {
        NameWalk(
            preferred: preferred, NameCandidates(in: "day/", "A.JPG", sha256: Self.sha256), size: 10,
            claimsUnseen: claimsUnseen)
    }

    @Test("a free name is looked at and claimed; a place that replaces nothing is not asked first")
    func free() {
        var place = Model()
        #expect(place.run(walk()) == .has("day/A.JPG", wasThere: false))
        #expect(place.asked == ["look day/A.JPG", "claim day/A.JPG"])
        place = Model()
        #expect(place.run(walk(claimsUnseen: true)) == .has("day/A.JPG", wasThere: false))
        #expect(place.asked == ["claim day/A.JPG"])
    }

    @Test("the very photo is there already; what differs in size is not read, and nothing is replaced")
    func taken() {
        var place = Model(files: [
            "day/A.JPG": (11, "theirs"), "day/A-2.JPG": (10, "theirs"), "day/A-4.JPG": (10, "ours"),
        ])
        place.folders = ["day/A-3.JPG"]
        #expect(place.run(walk()) == .has("day/A-4.JPG", wasThere: true))
        #expect(
            place.asked == [
                "look day/A.JPG", "look day/A-2.JPG", "compare day/A-2.JPG", "look day/A-3.JPG",
                "look day/A-4.JPG", "compare day/A-4.JPG",
            ])
        #expect(place.files["day/A.JPG"]?.content == "theirs")
    }

    @Test("where the first name is taken, those after it are looked at before bytes are sent once more")
    func looksLater() {
        var place = Model(files: ["day/A.JPG": (10, "theirs"), "day/A-2.JPG": (10, "theirs")])
        #expect(place.run(walk(claimsUnseen: true)) == .has("day/A-3.JPG", wasThere: false))
        #expect(
            place.asked == [
                "claim day/A.JPG", "look day/A.JPG", "compare day/A.JPG", "look day/A-2.JPG",
                "compare day/A-2.JPG", "look day/A-3.JPG", "claim day/A-3.JPG",
            ])
    }

    @Test("what was delivered before has its name again, where that is free or still its own")
    func former() {
        var place = Model()
        #expect(place.run(walk(preferred: ["old/B.JPG"])) == .has("old/B.JPG", wasThere: false))
        place = Model(files: ["old/B.JPG": (10, "ours")])
        #expect(place.run(walk(preferred: ["old/B.JPG"])) == .has("old/B.JPG", wasThere: true))
        place = Model(files: ["old/B.JPG": (10, "theirs")])
        #expect(place.run(walk(preferred: ["old/B.JPG"])) == .has("day/A.JPG", wasThere: false))
        // These are claimed at once as well, where the place replaces nothing.
        place = Model(files: ["old/B.JPG": (10, "theirs")])
        #expect(
            place.run(walk(preferred: ["old/B.JPG"], claimsUnseen: true))
                == .has("day/A.JPG", wasThere: false))
        #expect(place.asked.last == "claim day/A.JPG" && !place.asked.contains("look day/A.JPG"))
    }

    @Test("a name that is taken between the look and the claim is looked at again")
    func race() {
        var place = Model(late: ("day/A.JPG", 10, "theirs"))
        #expect(place.run(walk()) == .has("day/A-2.JPG", wasThere: false))
        place = Model(late: ("day/A.JPG", 10, "ours"))
        #expect(place.run(walk()) == .has("day/A.JPG", wasThere: true))
    }

    @Test("a name that was refused and is free afterwards is claimed once more, and not for ever")
    func gone() {
        var place = Model(answers: [.taken])
        #expect(place.run(walk()) == .has("day/A.JPG", wasThere: false))
        place = Model(answers: [.taken, .taken])
        #expect(place.run(walk()) == .contested("day/A.JPG"))
        #expect(place.asked.count { $0.hasPrefix("claim") } == 2)
    }

    @Test("a claim without an answer is settled by what lies there")
    func unknown() {
        var place = Model(answers: [.unknown])
        #expect(place.run(walk()) == .unclaimed("day/A.JPG"))
        // It was done by this very claim: nothing of it lies elsewhere.
        place = Model(answers: [.unknown], late: ("day/A.JPG", 10, "ours"))
        #expect(place.run(walk()) == .has("day/A.JPG", wasThere: false))
        place = Model(answers: [.unknown], late: ("day/A.JPG", 10, "theirs"))
        #expect(place.run(walk()) == .has("day/A-2.JPG", wasThere: false))
    }

    @Test("after fourteen numbers two names with a part of the SHA-256 are tried, and then none")
    func exhausted() {
        let numbered = (1...14).map { "day/" + SafeName.numbered("A.JPG", $0) }
        let marked = ["day/A-01234567.JPG", "day/A-0123456789abcdef0123456789abcdef.JPG"]
        var place = Model(
            files: Dictionary(
                uniqueKeysWithValues: (numbered + marked.dropLast()).map { ($0, (3, "theirs")) }))
        #expect(place.run(walk()) == .has(marked[1], wasThere: false))
        place.files[marked[1]] = (3, "theirs")
        place.asked = []
        #expect(place.run(walk()) == .noneFree)
        #expect(place.asked == (numbered + marked).map { "look \($0)" })
        #expect(NameCandidates(in: "day/", "A.JPG", sha256: Self.sha256).count == 16)
    }

    @Test("without a size and a SHA-256, as the camera's card is copied, every file of the name is compared")
    func withoutSize() {
        let candidates = NameCandidates("A.JPG", numbers: 3)
        var place = Model(files: ["A.JPG": (1, "theirs"), "A-2.JPG": (2, "ours")])
        #expect(place.run(NameWalk(candidates, size: nil)) == .has("A-2.JPG", wasThere: true))
        place = Model(files: ["A.JPG": (1, "a"), "A-2.JPG": (2, "b"), "A-3.JPG": (2, "c")])
        #expect(place.run(NameWalk(candidates, size: nil)) == .noneFree)
    }

    @Test("a name that turned out to be another photo's has been left, and one that the photo has has not")
    func moved() {
        var walk = walk()
        #expect(walk.name == "day/A.JPG" && !walk.hasMoved(from: "day/A.JPG"))
        walk.saw(.other)
        #expect(walk.name == "day/A-2.JPG" && walk.hasMoved(from: "day/A.JPG"))
        walk.saw(.nothing)
        #expect(!walk.hasMoved(from: "day/A-2.JPG"))
        walk.claimed(.done)
        #expect(walk.name == nil && !walk.hasMoved(from: "day/A-2.JPG"))
    }
}
