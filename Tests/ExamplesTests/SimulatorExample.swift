// example
import PacketCapture
import Simulator

/// A test of yours against a camera with 20 photos which is always a little busy.
func withBusyCamera(_ test: @Sendable (_ address: String) async throws -> Void) async throws {
    var settings = SimulatedCamera.Settings()
    settings.script = try FaultScript("busy chance=20")
    try await SimulatedCamera.serve(VirtualCard(VirtualCard.Settings(), photos: 20), settings: settings, test)
}

/// A test of yours against the first camera in a capture.
func withCamera(from capture: String, _ test: @Sendable (_ address: String) async throws -> Void) async throws
{
    guard let first = try PcapFile.conversations(in: capture).conversations.first else { return }
    try await SimulatedCamera.serve(replaying: Recording(first), test)
}
// end
