<?php
namespace Money;
const MAX = 9;
define('OTHER', 1);
/** A rate. */
abstract class Rate extends Base implements Priced {
    const UNIT = 'EUR';
    private int $value = 1, $other;
    public function __construct(private string $unit) {}
    abstract public function price(): int;
}
interface Priced { public function price(): int; }
trait Shared { public function run() { $f = function () {}; } }
enum Kind: int { case Fixed = 1; const X = 1; }
function total(array $rates): int { function inner() {} return 1; }
