import Foundation

let max = 9

/// A rate.
@available(macOS 10.15, *)
public class Rate<T>: Base {
    var value: Int = 1
    static let unit = "EUR"

    init(value: Int) {
        self.value = value
    }

    deinit {
    }

    @discardableResult
    func price() -> Int {
        let local = 1
        func inner() {}
        return value
    }

    subscript(i: Int) -> Int { i }

    enum Kind {
        case fixed, floating(step: Int)
    }
}

struct Pair {
    let a: Int
}

protocol Priced {
    associatedtype Unit
    func price() -> Int
    var unit: String { get }
    subscript(i: Int) -> Int { get }
}

extension Rate: Priced {
    func twice() -> Int { 2 }
}

typealias Rates = [Rate<Int>]

func total(_ rates: [Int]) -> Int {
    1
}

actor Bank {
}
