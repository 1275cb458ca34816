import Testing

/// The driver of the transfer's machine has no decision, and the rule that says so is seen to find one.
@Suite struct DriverRuleTests {
    static func texts(below prefix: String) throws -> [(path: String, text: SwiftText)] {
        try House.files.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".swift") }.map {
            ($0, SwiftText(try House.text($0)))
        }
    }

    @Test("the transfer's driver chooses nothing but what its list allows, line for line")
    func driver() throws {
        let texts = try Self.texts(below: DriverRule.files)
        #expect(texts.count >= 3)
        #expect(DriverRule.breaches(of: texts) == [])
    }

    @Test("one place tells the machine, one carries out what it says, and one has it made")
    func onePlace() throws {
        let transfer = try Self.texts(below: "Sources/Transfer/")
        #expect(DriverRule.places(of: "machine.handle(", in: transfer).count == 1)
        #expect(DriverRule.places(of: "TransferMachine(settings", in: transfer).count == 1)
        #expect(DriverRule.places(of: "func carryOut(", in: transfer).count == 1)
        // A new action has to break the build.
        let actions = try #require(
            transfer.first { $0.path == "Sources/Transfer/CameraTransfer+Actions.swift" }?.text)
        #expect(!actions.lines.contains { $0.contains("default:") })
    }

    static let listed = [
        DriverRule.Choice(line: "switch action {", why: "the one switch"),
        DriverRule.Choice(line: "while !isOver { step(\"a\") }", why: "until the end"),
    ]
    static let honest =
        "switch action {\ncase .fetch(let order): fetch(order)\n}\nwhile !isOver { step(\"b\") }"

    @Test("a driver that only carries out passes")
    func spares() {
        let text = SwiftText(Self.honest + "\n// if this were code\nlet s = \"if, guard, switch\"\nx?.go()")
        #expect(DriverRule.breaches(of: [("A.swift", text)], allowed: Self.listed) == [])
    }

    @Test(
        "a decision is found, whatever its form",
        arguments: [
            "if photo.size == 0 { return }", "guard queue.isEmpty else { return }", "switch state {",
            "switch action {",
            "let next = isRaw ? later : now", "    ? later",
            "for photo in photos where photo.isNew { take(photo) }",
            "while retries < 3 { again() }", "repeat { again() } while fails",
            "let wanted = isNew && isSmall",
            "let wanted = isNew || isSmall", "default: break",
            "for case .photo(let photo) in things { take(photo) }",
        ])
    func finds(line: String) {
        let text = SwiftText(Self.honest + "\n" + line)
        #expect(DriverRule.breaches(of: [("A.swift", text)], allowed: Self.listed).count == 1, "\(line)")
    }

    @Test("a line that the list allows once is found when it stands there twice, or not at all")
    func counts() {
        let twice = SwiftText(Self.honest + "\nwhile !isOver { step(\"c\") }")
        #expect(DriverRule.breaches(of: [("A.swift", twice)], allowed: Self.listed).count == 1)
        let gone = SwiftText("switch action {\n}")
        #expect(
            DriverRule.breaches(of: [("A.swift", gone)], allowed: Self.listed).first?
                .hasPrefix("nothing says any more") == true)
    }
}
