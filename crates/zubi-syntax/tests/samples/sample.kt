package money

const val MAX = 9

/** A rate. */
@Deprecated("old")
open class Rate<T>(val value: Int, other: String) : Base() {
    var unit: String = "EUR"

    constructor(x: String) : this(1, x)

    init {
        val local = 1
    }

    fun price(): Int {
        fun inner() {}
        val local = 2
        return value
    }

    companion object {
        fun make() = Rate<Int>(1, "")
    }

    inner class Inner
}

interface Priced {
    fun price(): Int
}

data class Pair(val a: Int)

enum class Kind {
    FIXED,
    FLOATING;

    fun x() {}
}

object Bank {
    val count = 0
}

fun String.total(): Int = 1

typealias Rates = List<Rate<Int>>
