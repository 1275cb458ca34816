import Arguments
import Basics
import Gallery
import HTTPClient
import Posix
import Web

/// How guests get images, and who tells caches what to forget, as the command line says.
struct ImageChoice {
    static let options = [
        OptionSpec(
            "images-url", "WHERE",
            "Where guests get images: a CDN's address, which asks here for what it does not have, for events without a PIN; or "
                + "'presigned', from the bucket by addresses that are good for a minute. [here]"),
        OptionSpec(
            "image-cache", "BYTES",
            "How much of this machine's disk holds copies of a bucket's images, for guests who look at the same ones; 'none' "
                + "where each is fetched each time. [1GiB]"),
        OptionSpec(
            "purge-command", "FILE",
            "A program that makes caches forget the addresses that are its arguments, called with what guests may see no "
                + "more until it ends with 0."),
        OptionSpec(
            "purge-url", "URL",
            "The same by POST {\"urls\": […]}, until it is answered 2xx; $PURGE_AUTHORIZATION is its Authorization."
        ),
    ]

    static let authorization = "PURGE_AUTHORIZATION"
    /// Of our environment, what the operator's program gets.
    private static let inherited = ["PATH", "HOME", "LANG", authorization]

    private enum Purges {
        case command(String)
        case webhook(String)
    }

    private let way: ImageDelivery.Way
    /// Nothing where no copies are kept.
    let cacheSize: UInt64?
    private let purges: Purges?

    var delivery: ImageDelivery { ImageDelivery(way, purges: purges != nil) }

    init(_ invocation: Invocation) throws {
        way = try Self.way(invocation)
        cacheSize = try Self.cacheSize(invocation, way)
        switch (invocation.value("purge-command"), invocation.value("purge-url")) {
        case (nil, nil): purges = nil
        case (_?, _?): throw UsageError("--purge-command and --purge-url: say one of them.")
        case (let program?, nil):
            guard let path = Directory.absolute(program) else {
                throw UsageError("--purge-command needs a program's path, not '\(program)'.")
            }
            do throws(SystemError) {
                try ChildProcess.check(path)
            } catch {
                throw UsageError("--purge-command: \(error)")
            }
            purges = .command(path)
        case (nil, let url?): purges = .webhook(try Self.address(url, of: "purge-url"))
        }
        if purges != nil, way == .storage {
            throw UsageError(
                "--images-url presigned leaves caches nothing to forget; leave --purge-command and --purge-url out."
            )
        }
    }

    private static func cacheSize(_ invocation: Invocation, _ way: ImageDelivery.Way) throws -> UInt64? {
        let isNeeded = way != .storage && invocation.value("storage")?.hasPrefix("s3://") == true
        switch invocation.value("image-cache") {
        case "none": return nil
        case nil: return isNeeded ? CopyLimits.usualBytes : nil
        case _?:
            guard isNeeded else {
                throw UsageError(
                    "--image-cache is about images of a bucket that come from here: it needs --storage s3://bucket/prefix, and "
                        + "no --images-url presigned.")
            }
            return try invocation.size("image-cache", in: CopyLimits.leastBytes...CopyLimits.mostBytes)
        }
    }

    private static func way(_ invocation: Invocation) throws(UsageError) -> ImageDelivery.Way {
        guard let text = invocation.value("images-url") else { return .here }
        guard text == "presigned" else {
            let url = try address(text, of: "images-url")
            return .cdn(url.hasSuffix("/") ? String(url.dropLast()) : url)
        }
        guard invocation.value("storage")?.hasPrefix("s3://") == true else {
            throw UsageError("--images-url presigned needs a bucket: --storage s3://bucket/prefix.")
        }
        return .storage
    }

    private static func address(_ text: String, of option: String) throws(UsageError) -> String {
        // A policy names it, where a quotation mark, a comma or a semicolon would end it.
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"',;#@\\".utf8.contains($0) }
        guard let address = PublicAddress(text), !address.host.isEmpty, isPlain, text.utf8.count <= 500,
            option == "purge-url" || !text.contains("?")
        else {
            throw UsageError("--\(option) needs an address such as https://cdn.example.org, not '\(text)'.")
        }
        return text
    }

    /// Where a browser is sent for images besides here, as a policy names it.
    var imageSources: [String] {
        guard case .cdn(let base) = way else { return [] }
        return [base.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")]
    }

    func caches(on reactor: Reactor) throws -> (any OutsideCaches)? {
        switch purges {
        case nil: nil
        case .command(let program):
            PurgeCommand(
                program, environment: Self.inherited.reduce(into: [:]) { $0[$1] = Program.environment($1) },
                on: reactor)
        case .webhook(let url):
            PurgeWebhook(
                url, authorization: Program.environment(Self.authorization), http: try CurlClient())
        }
    }
}
