import Testing

@Suite struct ArchitectureTests {
    let architecture: Architecture
    let manifest: String

    init() throws {
        architecture = try Architecture()
        manifest = try House.text("Package.swift")
    }

    @Test("the architecture's table names every target there is, and no other")
    func isComplete() {
        let folders = House.entries(of: "Sources").filter(\.isFolder).map(\.name)
        #expect(Set(architecture.targets.map(\.name)) == Set(folders))
        #expect(architecture.targets.count == folders.count)
    }

    @Test("imports point down: each target stands below what it imports")
    func pointsDown() {
        var above: Set<String> = []
        for target in architecture.targets {
            for name in target.imports { #expect(above.contains(name), "\(target.name) imports \(name)") }
            above.insert(target.name)
        }
    }

    @Test("the manifest says the same as the architecture's table")
    func agreesWithManifest() {
        for target in architecture.targets {
            let stated = Architecture.dependencies(of: target.name, in: manifest)
            #expect(stated.map(Set.init) == Set(target.imports), "\(target.name)")
        }
    }

    @Test("no file imports what its target may not, directly or by way of another")
    func importsAreAllowed() throws {
        var seen: [String: Set<String>] = [:]
        for path in House.swiftFiles(below: "Sources") {
            let name = String(path.split(separator: "/")[1])
            let target = try #require(architecture[name], "\(path)")
            let imports = SwiftText(try House.text(path)).imports
            let excess = Set(imports).subtracting(architecture.allowedImports(of: target))
            #expect(excess.isEmpty, "\(path) imports \(excess)")
            seen[name, default: []].formUnion(imports)
        }
        for target in architecture.targets where target.kind != "C" {
            let unused = Set(target.imports).subtracting(seen[target.name] ?? [])
            #expect(unused.isEmpty, "\(target.name) need not depend on \(unused)")
        }
    }

    @Test("pure targets are compiled so that the compiler proves them free of pointers")
    func pureIsProved() {
        for target in architecture.targets where target.kind == "pure" {
            let imports = target.imports.map { "\"\($0)\"" }.joined(separator: ", ")
            let dependencies = imports.isEmpty ? "" : "dependencies: [\(imports)], "
            #expect(
                manifest.contains(".target(name: \"\(target.name)\", \(dependencies)swiftSettings: pure)"),
                "\(target.name)")
        }
        #expect(manifest.contains("let pure = house + [.strictMemorySafety()]"))
        #expect(manifest.contains(".treatAllWarnings(as: .error)"))
    }
}
