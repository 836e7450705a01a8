package money;

import java.util.List;

/** A rate. */
@Deprecated
public class Rate<T> extends Base implements Priced {
    public static final int MAX = 9;
    private int value, other;

    static { }

    public Rate(int value) { this.value = value; }

    /** The price. */
    @Override
    public int price() { Runnable r = () -> {}; return value; }

    enum Kind { FIXED, FLOATING { void x() {} }; int n; }
    interface Priced { int price(); int ZERO = 0; }
    record Pair(int a, int b) { Pair { } }
    @interface Marker { String value() default ""; }
}
