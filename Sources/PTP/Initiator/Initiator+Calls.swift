extension Initiator {
    mutating func begin(_ call: Call, at now: Duration) -> [Action] {
        precondition(isReadyForCall, "one call at a time, and only while a session stands")
        guard case .connected(var connection) = state else { return [] }
        let actions = send(call, in: &connection, at: now)
        state = .connected(connection)
        return actions
    }

    /// Opens the exchange and says what goes onto the wire for it.
    func send(_ call: Call, in connection: inout Connection, at now: Duration) -> [Action] {
        let transaction = number(for: call, in: &connection)
        connection.lastTransaction = transaction
        connection.exchange = Exchange(call, transaction, cap: cap(in: connection, at: now), at: now)
        connection.watch = SilenceWatch()

        var parameters = call.parameters
        if peculiarities.parameters == .alwaysFive, parameters.count < 5 {
            parameters += [UInt32](repeating: 0, count: 5 - parameters.count)
        }
        var request = OperationRequest(
            dataPhase: peculiarities.noneOrIncoming, code: call.operation, transaction: transaction,
            parameters: parameters)
        guard case .outgoing(let data) = call.data else {
            return [.send(.operationRequest(request), .command)]
        }
        request.dataPhase = peculiarities.outgoing
        return [.send(.operationRequest(request), .command)] + outgoing(data, transaction)
    }

    private func outgoing(_ data: [UInt8], _ transaction: TransactionID) -> [Action] {
        let start = StartData(transaction: transaction, totalLength: UInt64(data.count))
        let whole = PayloadHeader(transaction: transaction, length: UInt32(data.count))
        let packets: [Action] =
            switch peculiarities.outgoingPackets {
            case .oneEnd:
                [.send(.endData(whole), .command), .sendPayload(data)]
            case .dataThenEmptyEnd:
                [
                    .send(.data(whole), .command), .sendPayload(data),
                    .send(.endData(PayloadHeader(transaction: transaction, length: 0)), .command),
                ]
            }
        return [.send(.startData(start), .command)] + packets
    }

    /// "The first transaction ID in a session is 0x00000001", and outside a session it is 0.
    private func number(for call: Call, in connection: inout Connection) -> TransactionID {
        switch connection.session {
        case .none:
            return .outsideSession
        case .opening:
            connection.nextTransaction =
                peculiarities.openSessionTransaction == .outsideSession
                ? .first : peculiarities.openSessionTransaction.next
            return peculiarities.openSessionTransaction
        case .open, .closing:
            defer { connection.nextTransaction = connection.nextTransaction.next }
            return connection.nextTransaction
        }
    }

    mutating func cancelCall(answeredBy deadline: Duration) -> [Action] {
        guard case .connected(var connection) = state, var exchange = connection.exchange else { return [] }
        let before = exchange.cancel
        exchange.cancel = .asked(until: before.until.map { min($0, deadline) } ?? deadline)
        connection.exchange = exchange
        state = .connected(connection)
        // The camera has been told.
        if before != .none { return [] }
        switch peculiarities.cancelling {
        case .dropLinks:
            return end(.cancelled)
        case .packets:
            // "first on the event connection, then the same on the command connection" (CIPA DC-X005 §2.7).
            return [
                .send(.cancel(exchange.transaction), .event), .send(.cancel(exchange.transaction), .command),
            ]
        }
    }

    mutating func close(at now: Duration) -> [Action] {
        switch state {
        case .closed:
            return []
        case .idle, .openingCommandLink, .expectingInitCommandAck, .openingEventLink, .expectingInitEventAck:
            return end(.closed)
        case .connected(var connection):
            // In the middle of a transaction there is no orderly end but dropping the links.
            guard case .open = connection.session, connection.exchange == nil, peculiarities.closesSession
            else { return end(.closed) }
            connection.session = .closing
            let actions = send(
                Call(.closeSession, timeout: timeouts.closeAnswer), in: &connection, at: now)
            state = .connected(connection)
            return actions
        }
    }

    /// The one way into `closed`: the caller of a pending call gets its error before the links close.
    mutating func end(_ ending: Ending) -> [Action] {
        defer { state = .closed(ending) }
        switch state {
        case .closed:
            return []
        case .idle, .openingCommandLink, .expectingInitCommandAck, .openingEventLink, .expectingInitEventAck:
            return [.closeLinks(ending)]
        case .connected(let connection):
            guard let exchange = connection.exchange else { return [.closeLinks(ending)] }
            switch connection.session {
            case .opening, .closing:
                return [.closeLinks(ending)]
            case .none, .open:
                let failure = exchange.cancel == .none ? CallFailure.connectionEnded(ending) : .cancelled
                return [.fail(failure), .closeLinks(ending)]
            }
        }
    }
}
