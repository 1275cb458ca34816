/// What the table of the architecture's article says of each target; the code is held to it.
struct Architecture {
    struct Target {
        let name: String
        let kind: String
        let imports: [String]
    }

    let targets: [Target]

    static let path = "Sources/tetherline/tetherline.docc/Architecture.md"

    init() throws { self.init(document: try House.text(Self.path)) }

    /// Rows such as "| `Link` | system | `Posix`, `Bridge` | bytes in order |", each below what it imports.
    init(document: String) {
        targets = document.split(separator: "\n").compactMap { row in
            let cells = row.split(separator: "|").map { $0.trimmed }
            guard row.hasPrefix("|"), cells.count == 4, let name = Architecture.names(in: cells[0]).first,
                Architecture.kinds.contains(cells[1])
            else { return nil }
            return Target(name: name, kind: cells[1], imports: Architecture.names(in: cells[2]))
        }
    }

    static let kinds: Set = ["pure", "C", "system", "resource", "stage", "root"]

    static func names(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    subscript(name: String) -> Target? { targets.first { $0.name == name } }

    /// The standard library's own, and the C library for those who talk to the system. What is pure imports only what is
    /// pure, too.
    func allowedImports(of target: Target) -> Set<String> {
        guard target.kind == "pure" else { return Set(target.imports + ["Glibc", "Synchronization"]) }
        return Set(target.imports.filter { self[$0]?.kind == "pure" })
    }

    /// What Package.swift says that a target depends on.
    static func dependencies(of target: String, in manifest: String) -> [String]? {
        let declarations = manifest.split(separator: "arget(").flatMap {
            $0.split(separator: ".systemLibrary(")
        }
        for part in declarations {
            let words = part.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
            // A part begins with its own name; a function of the manifest begins with what its caller says.
            guard words.count == 3, words[0].filter({ !$0.isWhitespace }) == "name:", words[1] == target
            else { continue }
            guard let list = part.firstMatch(of: /dependencies: \[([^\]]*)\]/) else { return [] }
            return names(in: String(list.1.map { $0 == "\"" ? "`" : $0 }))
        }
        return nil
    }
}

extension Substring {
    var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
