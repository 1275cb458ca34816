import Bridge
import GalleryCopy
import Posix
import Store
import Upload

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
        addEdits(of: event, to: &status)
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

    private func addEdits(of event: BridgeEvent, to status: inout BridgeStatus) {
        do {
            guard let copy = try home.readGalleryCopy() else { return }
            var edits: [String: BridgeStatus.Destination.Edits] = [:]
            for destination in status.destinations where destination.kind == .gallery {
                let place = try GalleryPlace(url: destination.url, ledgerEvent: event.id)
                guard let known = try copy.place("\(place.address)", event: place.event) else { continue }
                edits[destination.url] = .init(try copy.editCounts(of: known.id))
            }
            status.note(edits)
        } catch {
            status.notes.append("the copy of the gallery cannot be read: \(error)")
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
