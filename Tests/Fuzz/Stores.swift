/// What stores answer: their XML, and what they say of time.
func fuzzStores(_ input: inout FuzzInput) {
    switch input.byte() % 4 {
    case 0: fuzzXML(input.all())
    case 1: fuzzXMLText(String(decoding: input.all(), as: UTF8.self))
    case 2: isLinear(input.repeated()) { readXML($0) }
    default: fuzzServerTime(String(decoding: input.all(), as: UTF8.self))
    }
}

@discardableResult
private func readXML(_ bytes: [UInt8]) -> XMLElement? {
    do throws(XMLElement.Malformed) {
        return try XMLElement(bytes)
    } catch {
        precondition(!"\(error)".isEmpty)
        return nil
    }
}

/// What was read can be written, and is the same when it is read again.
private func fuzzXML(_ bytes: [UInt8]) {
    guard let element = readXML(bytes) else { return }
    precondition(readXML(Array(written(element).utf8)) == element, "XML is read as something else")
}

/// A text of any characters comes through as it was meant.
private func fuzzXMLText(_ text: String) {
    let bytes = Array("<a><Key>\(escaped(text))</Key></a>".utf8)
    precondition(readXML(bytes)?["Key"]?.utf8.elementsEqual(text.utf8) == true, "a text is read as another")
}

private func written(_ element: XMLElement) -> String {
    "<\(element.name)>\(escaped(element.text))\(element.children.map(written).joined())</\(element.name)>"
}

private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar -> String in
        switch scalar {
        case "<": "&lt;"
        case "&": "&#38;"
        default: String(scalar)
        }
    }.joined()
}

private func fuzzServerTime(_ text: String) {
    guard let moment = Timestamp(httpDate: text) else { return }
    precondition(Timestamp(httpDate: moment.httpDate) == moment, "a date is read as another")
}
