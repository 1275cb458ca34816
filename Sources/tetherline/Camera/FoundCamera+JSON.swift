import Basics
import Discovery

/// As a command that has listened tells the bridge what it heard.
extension FoundCamera {
    var asRequested: JSONValue {
        [
            "id": .string(id), "address": .string("\(address)"), "port": .unsigned(UInt64(port)),
            "services": .array(services.map { .string($0.rawValue) }),
            "name": .optional(name, JSONValue.string), "model": .optional(model, JSONValue.string),
            "serial": .optional(details.serial, JSONValue.string),
        ]
    }

    init(requested: JSONValue) throws {
        guard let id = requested["id"]?.string, !id.isEmpty,
            let address = requested["address"]?.string.flatMap(CameraAddress.init),
            let port = requested["port"]?.integer.flatMap(UInt16.init(exactly:)), port != 0
        else {
            throw CommandRouter.Refused(
                description: "the request tells of a camera without saying where it is")
        }
        var details = DeviceDescription()
        details.name = requested["name"]?.string
        details.model = requested["model"]?.string
        details.serial = requested["serial"]?.string
        self.init(
            id: id, address: address, port: port,
            services: (requested["services"]?.array ?? []).compactMap { service in
                service.string.flatMap(CameraService.init)
            }, details: details)
    }
}
