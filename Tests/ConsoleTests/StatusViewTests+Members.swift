import Basics
import Bridge
import Console
import Testing

/// What can be held of the published schema where no judge of schemas is installed: the names of members.
extension StatusViewTests {
    private static let schema = Result { try JSON5.parse(StatusSchema.text) }

    @Test(
        "every member that a status has is in the published schema, and every one that is promised is there")
    func members() throws {
        let schema = try Self.schema.get()
        func faults(_ status: JSONValue) -> [String] { Self.faults(of: status, by: schema, in: schema, "") }
        for row in StatusTable.rows {
            #expect(faults(row.status.json).isEmpty, "\(row.name): \(faults(row.status.json))")
        }
        #expect(faults(["event": .null]).isEmpty)
        let text = StatusTable.rows[1].status.json.compact
        let odd = text.replacing(#""paused":false"#, with: #""paused":false,"mood":"good""#)
        #expect(faults(try JSON5.parse(odd)) == ["mood is not in the schema"])
        let less = text.replacing(#""running":true,"#, with: "")
        #expect(faults(try JSON5.parse(less)) == ["running is promised"])
    }

    /// Of several schemas that may be meant the one that fits best counts.
    private static func faults(
        of value: JSONValue, by schema: JSONValue, in whole: JSONValue, _ place: String
    ) -> [String] {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            guard let meant = whole["$defs"]?[String(name)] else { return ["\(name) is no definition"] }
            return faults(of: value, by: meant, in: whole, place)
        }
        if let choices = schema["oneOf"]?.array ?? schema["anyOf"]?.array {
            let found = choices.filter { ($0["type"]?.string == "null") == (value == .null) }.map {
                faults(of: value, by: $0, in: whole, place)
            }
            return found.min { $0.count < $1.count } ?? ["\(place) is none of its choices"]
        }
        if let items = schema["items"], let entries = value.array {
            return entries.flatMap { faults(of: $0, by: items, in: whole, place) }
        }
        guard let properties = schema["properties"], let members = value.members else { return [] }
        let named = members.flatMap { member in
            properties[member.key].map { faults(of: member.value, by: $0, in: whole, member.key) }
                ?? ["\(member.key) is not in the schema"]
        }
        let promised = (schema["required"]?.array ?? []).compactMap(\.string)
        return named
            + promised.filter { name in !members.contains { $0.key == name } }.map { "\($0) is promised" }
    }
}
