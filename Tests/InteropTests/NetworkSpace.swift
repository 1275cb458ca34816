import Basics
import Glibc
import TestSupport
import Testing

/// A network namespace of a test's own, gone with it, in which iproute2 builds whatever network the test wants.
final class NetworkSpace: Sendable {
    let name: String

    /// Only root may make one, and not in every container.
    static let isPossible: Bool = {
        do {
            _ = try NetworkSpace()
            return true
        } catch {
            return false
        }
    }()

    struct Impossible: Error {
        let reason: String
    }

    private static let count = Shared(0)

    init() throws {
        guard getuid() == 0, let ip = Tool("ip") else { throw Impossible(reason: "no root, or no ip") }
        let number = Self.count.change { count -> Int in
            count += 1
            return count
        }
        name = "tetherline-\(getpid())-\(number)"
        let made = try ip.run(["netns", "add", name])
        guard made.code == 0 else { throw Impossible(reason: made.errors) }
    }

    deinit {
        do {
            _ = try Tool("ip")?.run(["netns", "delete", name])
        } catch {
            Issue.record("the namespace \(name) is left behind: \(error)")
        }
    }

    /// Each line is the rest of an `ip` command.
    func ip(_ lines: String) throws {
        let ip = try #require(Tool("ip"))
        for line in lines.split(separator: "\n") {
            let done = try ip.run(["-n", name] + line.split(separator: " ").map(String.init))
            #expect(done.code == 0, "ip \(line): \(done.errors)")
        }
    }

    /// The interface by which iproute2 says that an address is reached.
    func judgedWay(to address: String) throws -> String? {
        let answer = try #require(Tool("ip")).run(["-j", "-n", name, "route", "get", address])
        return answer.code == 0 ? try JSON5.parse(answer.output).array?.first?["dev"]?.string : nil
    }

    func words(_ command: [String]) -> [String] { ["ip", "netns", "exec", name] + command }

    /// What `tetherline network` thinks of the way to an address in here.
    func way(to address: String) throws -> JSONValue {
        let person = try Operator()
        let words = words([
            Built.tetherline, "network", "--json", "--home", person.home, "--destination", address,
        ])
        let run = try #require(Tool(words[0])).run(Array(words.dropFirst()))
        #expect(run.code == 0, "\(run.errors)")
        return try #require(try JSON5.parse(run.output)["destinations"]?.array?.first)
    }
}
