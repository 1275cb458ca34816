import Arguments
import HTTPServer

/// Who reads /metrics besides this machine, as `gallery serve` is told.
enum MetricsReaders {
    static let option = OptionSpec(
        "metrics-from", "ADDRESS", mayRepeat: true,
        "An address, or a network such as 10.0.0.0/24, that may read /metrics; this machine always may.")

    private static let most = 100

    static func of(_ invocation: Invocation) throws(UsageError) -> [AddressNetwork] {
        let texts = invocation.all("metrics-from")
        guard texts.count <= most else {
            throw UsageError(
                "--metrics-from is taken \(most) times at the most; name networks, such as 10.0.0.0/24.")
        }
        var networks: [AddressNetwork] = []
        for text in texts {
            do throws(AddressNetwork.Unreadable) {
                networks.append(try AddressNetwork(text))
            } catch {
                throw UsageError("--metrics-from: \(error).")
            }
        }
        return networks
    }
}
