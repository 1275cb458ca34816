import Bridge
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

    /// Everything was listed, and each question took what it took.
    func listIsComplete() { listPace.isComplete() }

    /// Learns whether the camera answers probes, without waiting for it.
    func tryProbe() { feed(.tryProbe) }

    /// What the connection begins with for lists.
    func adopt(_ pace: ListPace) { listPace = pace }

    /// Asks for what every camera has at hand. Any answer will do, but that it has no session.
    func askForLife(_ patience: Duration) async throws(CameraError) {
        let hasStorages = knownDevice?.supports(.getStorageIDs) ?? false
        let operation: OperationCode = hasStorages ? .getStorageIDs : .getDeviceInfo
        let limit = hasStorages ? DatasetLimits.storageIDsBytes : DatasetLimits.deviceInfoBytes
        let reply = try await exchange(Call(operation, data: .incoming(limit: limit), silence: patience))
        let answer = error(.answered(operation, reply.code, knownDevice?.vendor))
        if answer.hasLostSession { throw answer }
    }
}
