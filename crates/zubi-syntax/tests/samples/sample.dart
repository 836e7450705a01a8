import 'dart:io';
const max = 9;
int count = 0;
/// A rate.
abstract class Rate<T> extends Base {
  final int value;
  static const unit = 'EUR', other = 1;
  Rate(this.value);
  Rate.named(this.value);
  factory Rate.make() => throw 1;
  int price() { int inner() => 1; return inner(); }
  int get twice => 2;
  set twice(int x) {}
  Rate operator +(Rate o) => o;
}
mixin Shared { void run() {} }
enum Kind { fixed, floating }
extension More on Rate { int more() => 1; }
typedef Handler = void Function(int);
int total(List<int> rates) => 1;
int get getter => 1;
