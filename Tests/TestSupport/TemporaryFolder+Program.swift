import Glibc

extension TemporaryFolder {
    /// A script that can be run. Another program, `install`, writes the file that is run: a child that a test beside this one
    /// starts meanwhile may have what is open for writing here, and the system does not run it then ("text file busy").
    public func writeProgram(_ text: String, to name: String) throws {
        let draft = "\(name).draft"
        try write(text, to: draft)
        guard let install = Tool("install") else { throw FileProblem(path: "install", number: 2) }
        let copied = try install.run(["-m", "755", file(draft), file(name)])
        guard copied.code == 0 else { throw ProgramProblem(path: file(name), errors: copied.errors) }
        unlink(file(draft))
    }
}

/// A script that was not written, and why.
private struct ProgramProblem: Error {
    let path: String
    let errors: String
}
