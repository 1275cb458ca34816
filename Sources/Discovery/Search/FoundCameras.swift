/// The cameras that are there, folded from the finder's news: each as it was last told.
package struct FoundCameras: Equatable, Sendable {
    /// In the order in which they came to their addresses: of several at one address the last is the newest there.
    package private(set) var all: [FoundCamera] = []

    package init() {}

    package mutating func apply(_ news: CameraFinder.News) {
        switch news {
        case .found(let camera): found(camera)
        case .changed(let camera): changed(camera)
        case .gone(let camera): gone(camera)
        case .listening, .remark: break
        }
    }

    /// Another one may be there under the same identity, at an address of its own.
    mutating func found(_ camera: FoundCamera) {
        gone(camera)
        all.append(camera)
    }

    /// Of one identity there is one, unless two claim it: then neither of them moves.
    mutating func changed(_ camera: FoundCamera) {
        if let same = index(of: camera), all[same].port == camera.port {
            all[same] = camera
            return
        }
        let former = index(of: camera) ?? all.firstIndex { $0.id == camera.id }
        if let former { all.remove(at: former) }
        all.append(camera)
    }

    mutating func gone(_ camera: FoundCamera) {
        all.removeAll { $0.id == camera.id && $0.address == camera.address }
    }

    private func index(of camera: FoundCamera) -> Int? {
        all.firstIndex { $0.id == camera.id && $0.address == camera.address }
    }

    /// What counts at each place, in the order of the places. "A camera has one identity in each protocol": of those that
    /// announce themselves by the same one it is the newest, and what was heard there before has gone, or lies.
    package var places: [[FoundCamera]] {
        var places: [[FoundCamera]] = []
        for (index, camera) in all.enumerated() {
            let isFormer = all[(index + 1)...].contains { newer in
                newer.place == camera.place && newer.isOfMDNS == camera.isOfMDNS
                    && newer.speaksPTP == camera.speaksPTP
            }
            if isFormer { continue }
            if let place = places.firstIndex(where: { $0[0].place == camera.place }) {
                places[place].append(camera)
            } else {
                places.append([camera])
            }
        }
        return places
    }

    /// One for each place.
    package var shown: [FoundCamera] { places.compactMap(\.toShow) }

    /// The cameras that are called so, or are at that address: one for each place.
    package func meant(by what: String) -> [FoundCamera] {
        places.filter { there in there.contains { $0.isMeant(by: what) } }.compactMap(\.toShow)
    }
}

extension [FoundCamera] {
    /// Of what counts at one place, what tells most of the camera there.
    var toShow: FoundCamera? {
        last { $0.speaksPTP && $0.model != nil } ?? last(where: \.speaksPTP) ?? last
    }
}
