import Bridge
import Posix
import Store

/// How it is where no bridge answers: what the ledger says, with the disk as it is now.
struct StatusAtRest {
    let home: Home
    /// The latest where none is named.
    var event: String?
    /// Which one where none is named and no bridge runs.
    var eventAtRest: String?
    /// A bridge runs and gives no answer.
    var isSilent = false

    /// Nothing where there is no event yet.
    func status() throws -> BridgeStatus? {
        let reader = try home.reader()
        let running = isSilent ? try reader.runningEvent() : nil
        guard
            let event = try event == nil
                ? running ?? reader.chosenEvent(eventAtRest) : reader.chosenEvent(event)
        else { return nil }
        let isRunning = running == event
        var status = try reader.statusAtRest(of: event, isRunning: isRunning, at: SystemWallTime().wallNow)
        if isRunning {
            status.isRunning = true
            status.notes.append(Self.silence)
        }
        addSpool(to: &status)
        return status
    }

    private static let silence =
        "the bridge that runs here has not answered within 0.7 s: it is busy, stopped or stuck. Ask again in a "
        + "moment; a process that was stopped goes on with kill -CONT."

    /// It is looked at and never made: a status changes nothing.
    private func addSpool(to status: inout BridgeStatus) {
        do {
            let space = try RealFolder(Directory(path: home.spool)).space()
            let reserve = reserve(&status)
            status.note(BridgeStatus.Disk(space, reserve: reserve))
        } catch let error as SystemError where error.kind == .missing {
            return
        } catch {
            status.notes.append("the spool's disk cannot be looked at: \(error)")
        }
    }

    /// As the settings have it. A file that cannot be read is told, and then the bridge's usual reserve is kept free.
    private func reserve(_ status: inout BridgeStatus) -> Spool.Reserve {
        do {
            return try Settings.read(from: home).reserve
        } catch {
            status.notes.append("what the settings keep free on the spool's disk is not known: \(error)")
            return Spool.Reserve()
        }
    }
}
