import CCurl

/// What libcurl calls, as functions of C: each finds its ``Run`` and asks it.
enum Callbacks {
    static func install(on easy: EasyHandle, for run: Run) {
        tl_set_callbacks(
            easy.pointer, Unmanaged.passUnretained(run).toOpaque(), read, seek, header, write, connected,
            opened, known)
    }

    static func run(_ context: UnsafeMutableRawPointer?) -> Run {
        guard let context else { preconditionFailure("every callback is set with its transfer") }
        return Unmanaged<Run>.fromOpaque(context).takeUnretainedValue()
    }

    private static let read: curl_read_callback = { memory, size, count, context in
        run(context).read(into: UnsafeMutableRawBufferPointer(start: memory, count: size * count))
    }

    private static let seek: curl_seek_callback = { context, offset, origin in
        guard origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
        return run(context).seek(to: offset) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }

    private static let header: curl_write_callback = { memory, size, count, context in
        let bytes = UnsafeRawBufferPointer(start: memory, count: size * count)
        // Any other number than what was given ends the transfer.
        return run(context).takeHeader(bytes) ? bytes.count : bytes.count &+ 1
    }

    private static let write: curl_write_callback = { memory, size, count, context in
        let bytes = UnsafeRawBufferPointer(start: memory, count: size * count)
        return run(context).takeBody(bytes) ? bytes.count : bytes.count &+ 1
    }

    private static let connected: curl_prereq_callback = { context, _, _, _, _ in
        run(context).connected()
        return CURL_PREREQFUNC_OK
    }

    /// BBR keeps the pace on a lossy uplink where others halve it again and again.
    private static let opened: curl_sockopt_callback = { _, socket, _ in
        tl_ask_for_congestion_control(socket, "bbr")
        return CURL_SOCKOPT_OK
    }

    /// A key that is not the known one is never taken, and never written down by itself.
    private static let known: curl_sshkeycallback = { _, _, _, match, context in
        if match == CURLKHMATCH_OK { return Int32(CURLKHSTAT_FINE.rawValue) }
        run(context).keyDiffers(match == CURLKHMATCH_MISMATCH ? .changed : .unknown)
        return Int32(CURLKHSTAT_REJECT.rawValue)
    }
}
