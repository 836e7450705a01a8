package money
/** A rate. */
class Rate[T](val value: Int) extends Base {
  val unit: String = "EUR"
  var count = 0
  def price: Int = { def inner() = 1; inner() }
  type Unit2 = Int
}
object Rate { def make() = new Rate(1) }
trait Priced { def price: Int }
case class Pair(a: Int)
enum Kind { case Fixed, Floating }
given ordering: Ordering[Int] = ???
type Rates = List[Int]
def total(x: Int): Int = x
val max = 9
