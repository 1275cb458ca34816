import Arguments
import Basics
import Bridge
import Camera
import Posix

/// `camera ls`: every file on the cards.
struct ListCommand {
    let options: ConnectionOptions

    init(_ options: ConnectionOptions) {
        self.options = options
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let isJSON = options.isJSON
        return try await options.looking(on: reactor) { camera, wish in
            var survey = try await camera.survey(wish, onDescribed: {})
            for object in survey.putOff where survey.unreadable[object.reference] == nil {
                survey.unreadable[object.reference] = Survey.whyPutOff
            }
            if isJSON {
                for file in survey.offers { printOutput(Self.json(file).compact) }
            } else {
                var table = RowPrinter(["object", "size", "shot", "format", "path"])
                for file in survey.offers { table.add(Self.row(file)) }
                table.flush()
            }
            if let remark = survey.remark { printError(Visible(remark).description) }
            for (reference, reason) in survey.unreadable.sorted(by: { $0.key < $1.key }) {
                printError("object \(reference) was left out: \(Visible(reason))")
            }
            return survey.unreadable.isEmpty ? .success : .failure
        }
    }

    private static func row(_ file: Offer) -> [String] {
        [
            "\(file.reference)", file.hasFinalSize ? Human.bytes(file.identity.size) : "?",
            file.identity.captureDate, file.formatName, file.identity.path,
        ]
    }

    private static func json(_ file: Offer) -> JSONValue {
        [
            "handle": .string("\(file.reference)"),
            "path": .string(file.identity.path),
            "size": file.hasFinalSize ? .unsigned(file.identity.size) : .null,
            "date": .string(file.identity.captureDate),
            "format": .string(file.formatName),
            "storage": .string(file.store),
            "protected": .bool(file.isProtected),
        ]
    }
}
