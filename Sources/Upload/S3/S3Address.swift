package import Bridge
package import S3

/// `s3://bucket/prefix?name={event}/{name}&endpoint=https://host:9000&region=eu-west-1&style=path&profile=desk`: a
/// bucket, and how photos are called in it. Keys are in the environment, in a profile, or in the file that `credentials=`
/// names, never here.
package struct S3Address: Equatable, Sendable {
    package let bucket: String
    /// What stands before every name, with its slash; empty for none.
    package let prefix: String
    package let template: NameTemplate
    package let choice: S3Settings.Choice
    /// Others take away what is delivered there.
    package let consumes: Bool
    /// What is said about a photo goes with it: `metadata=iptc`.
    package let writesCaptions: Bool

    package init(_ url: String) throws(AddressProblem) {
        guard let parts = try AddressParts(url, scheme: "s3") else {
            throw AddressProblem(description: "'\(url)' is no bucket: s3://bucket/prefix is meant.")
        }
        bucket = try parts.decoded(parts.authority)
        guard !bucket.isEmpty, !bucket.contains("@"), !bucket.contains(":") else {
            throw AddressProblem(
                description:
                    "'\(parts.url)' names no bucket: s3://bucket/prefix?endpoint=https://host is meant.")
        }
        prefix = try parts.components().map { "\($0)/" }.joined()
        guard prefix.utf8.count <= BucketAddress.longestPrefix else {
            throw AddressProblem(
                description:
                    "the prefix in '\(parts.url)' is longer than \(BucketAddress.longestPrefix) bytes.")
        }
        var template = FolderAddress.usualTemplate
        var choice = S3Settings.Choice()
        for item in parts.items {
            if item.name == "name" {
                template = item.value
            } else if !choice.take(item.name, item.value) {
                throw parts.unknown(
                    item, known: "name=TEMPLATE, metadata=iptc, \(S3Settings.Choice.items) and consumed=true")
            }
        }
        self.template = try AddressParts.template(template)
        consumes = parts.consumes
        writesCaptions = parts.writesCaptions
        self.choice = choice
        do throws(S3Settings.Problem) {
            try choice.check(bucket)
        } catch {
            throw AddressProblem(description: "\(error)")
        }
    }

    /// Whether the file that `credentials` names holds keys.
    package func checkCredentials() throws(AddressProblem) {
        guard choice.credentialsFile != nil else { return }
        do throws(S3Settings.Problem) {
            _ = try S3Settings(choice, environment: [:])
        } catch {
            throw AddressProblem(description: "\(error)")
        }
    }

    /// Keys that are in the environment and nowhere else, so that a program without it has none; nothing where a file has
    /// them, and where they are temporary.
    package func keysInEnvironment(_ environment: [String: String]) -> (id: String, secret: String)? {
        var without = environment
        without["AWS_ACCESS_KEY_ID"] = nil
        do throws(S3Settings.Problem) {
            let (all, rest) = (try S3Settings(choice, environment: environment).keys, keys(without))
            guard case .missing = rest, all.token == nil else { return nil }
            return (all.id, all.secret)
        } catch {
            return nil
        }
    }

    /// Whether there are keys for it here.
    package enum Keys: Equatable, Sendable {
        /// Where they are, for a sentence.
        case found(String)
        /// Where they were looked for, or what is wrong with them.
        case missing(String)
    }

    package func keys(_ environment: [String: String]) -> Keys {
        do throws(S3Settings.Problem) {
            return .found(try S3Settings(choice, environment: environment).keys.source)
        } catch {
            return .missing("\(error)")
        }
    }
}
