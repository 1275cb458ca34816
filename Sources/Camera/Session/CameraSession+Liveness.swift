import Basics
import PTP

/// Whether the camera is there at all.
extension CameraSession {
    /// How long nothing has come from it.
    var silence: Duration {
        guard let heard = machine.lastHeard else { return .zero }
        return time.now - heard
    }

    var hasAnsweredProbes: Bool { machine.hasAnsweredProbes }
    var hasAnsweredProbeInCall: Bool { machine.hasAnsweredProbeInCall }

    /// What the connection teaches that only its end can tell.
    var lesson: Experience.Lesson {
        Experience.Lesson(
            hasAnsweredProbe: machine.hasAnsweredProbes,
            hasAnsweredProbeInCall: machine.hasAnsweredProbeInCall,
            wasLostOverProbe: machine.wasLostOverProbe, wasLetIn: peer != nil,
            hasLinkTimedOut: hasLinkTimedOut, hasBegunList: listTimeout.hasBegun,
            endedInList: listTimeout.isUnderWay)
    }

    /// Everything was listed, and each question took what it took.
    func listIsComplete() { listTimeout.isComplete() }

    /// Learns whether the camera answers probes, without waiting for it.
    func tryProbe() { feed(.tryProbe) }

    /// What the connection begins with for lists.
    func adopt(_ pace: ListTimeout) { listTimeout = pace }

    /// Asks for what every camera has at hand. Any answer will do, but that it has no session.
    ///
    /// Where it owes an answer already, it may be blocked by its own work: it has what is left of the timeout with it, and
    /// is asked on the event link, too.
    ///
    /// `question` is what bodies of one make want to be asked instead.
    func askForLife(_ timeout: Duration, by question: Call? = nil) async throws(CameraError) {
        let hasStorages = knownDevice?.supports(.getStorageIDs) ?? false
        let operation = question?.operation ?? (hasStorages ? .getStorageIDs : .getDeviceInfo)
        let limit = hasStorages ? DatasetLimits.storageIDsBytes : DatasetLimits.deviceInfoBytes
        var call = question ?? Call(operation, data: .incoming(limit: limit))
        call.silence = timeout
        if machine.owesAnswer, let whole = options.timeouts.silence {
            call.silence = max(timeout, options.timeouts.call)
            call.timeout = whole
            call.isProbed = hasAnsweredProbes
        }
        let reply = try await exchange(call)
        let answer = error(.answered(operation, reply.code, knownDevice?.vendor))
        if answer.hasLostSession { throw answer }
    }
}
