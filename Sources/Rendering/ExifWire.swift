package import Basics
package import Imaging

/// What a camera says of a file, among the members of a worker's answer.
extension ExifFacts {
    package var wire: [(key: String, value: JSONValue)] {
        [
            ("clock", .optional(time.clock) { .integer($0.milliseconds) }),
            ("offset", .optional(time.offset) { .integer(Int64($0)) }),
            ("satellites", .optional(time.satellites) { .integer($0.milliseconds) }),
            ("make", .optional(make, JSONValue.string)), ("model", .optional(model, JSONValue.string)),
            ("serial", .optional(serial, JSONValue.string)),
            ("copyright", .optional(copyright, JSONValue.string)),
        ]
    }

    /// Bytes that have taken over a decoder can say anything here.
    package init(wire value: JSONValue) {
        func moment(_ key: String) -> Timestamp? {
            value[key]?.integer.flatMap {
                Timestamp.writable.contains($0) ? Timestamp(milliseconds: $0) : nil
            }
        }
        self.init()
        time = ExifTime(
            clock: moment("clock"),
            offset: value["offset"]?.integer.flatMap(Int.init(exactly:)).flatMap {
                ExifTime.zones.contains($0) ? $0 : nil
            }, satellites: moment("satellites"))
        make = value["make"]?.string
        model = value["model"]?.string
        serial = value["serial"]?.string
        copyright = value["copyright"]?.string
    }
}
