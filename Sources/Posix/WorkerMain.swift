import Glibc

/// The life of a worker: a job on each line, until the program that started it closes the socket that is this process'
/// standard output.
package func workerMain(
    _ limits: WorkerLimits = WorkerLimits(), answering answer: (_ line: String) -> String
) -> Int32 {
    limits.hold()
    guard let requests = fdopen(STDOUT_FILENO, "r") else { return EX_OSERR }
    while let line = nextLine(of: requests) {
        limits.holdProcessor()
        guard writeAll(answer(line) + "\n", to: STDOUT_FILENO) else { return EX_OK }
    }
    return EX_OK
}

private func nextLine(of stream: UnsafeMutablePointer<FILE>) -> String? {
    var bytes: [UInt8] = []
    while true {
        let byte = getc(stream)
        if byte == EOF { return nil }
        if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
}
