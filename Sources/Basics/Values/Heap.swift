/// Gives back the smallest first. Putting in and taking out look at a few elements, however many there are.
///
/// It can be inlined, so that other modules have it for their elements, not for any.
public struct Heap<Element: Comparable & Sendable>: Equatable, Sendable {
    @usableFromInline var elements: [Element] = []

    @inlinable public init() {}

    @inlinable public var first: Element? { elements.first }

    @inlinable public mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    @inlinable public mutating func popFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < elements.count }
            guard let child = children.min(by: { elements[$0] < elements[$1] }),
                elements[child] < elements[parent]
            else { return first }
            elements.swapAt(parent, child)
            parent = child
        }
    }
}
