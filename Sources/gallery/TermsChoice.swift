import Arguments
import Gallery

/// What accounts have to agree to, as `gallery serve` is told.
struct TermsChoice {
    static let options = [
        OptionSpec(
            "terms", "FILE",
            "A text that each account is shown and has to agree to before its photos are taken."),
        OptionSpec("terms-version", "N", "The text's number: a new one asks every account again. [1]"),
    ]

    let terms: Terms?
    let version: Int

    init(_ invocation: Invocation) throws {
        version = try invocation.integer("terms-version", in: 1...1_000_000) ?? 1
        guard let path = invocation.value("terms") else {
            terms = nil
            return
        }
        do throws(Terms.Unusable) {
            terms = try Terms(file: path)
        } catch {
            throw UsageError("--terms: \(error)")
        }
    }
}
