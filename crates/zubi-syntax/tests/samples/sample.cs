using System;
namespace Money.Inside {
    /// <summary>A rate.</summary>
    [Serializable]
    public class Rate<T> : Base, IPriced {
        public const int Max = 9;
        private int value, other;
        public string Unit { get; set; } = "EUR";
        public event EventHandler Changed;
        public delegate void Handler(int x);
        public Rate(int value) { this.value = value; }
        ~Rate() { }
        public int Price() { int Inner() => 1; return Inner(); }
        public static Rate<T> operator +(Rate<T> a, Rate<T> b) => a;
        public int this[int i] => i;
        enum Kind { Fixed, Floating = 2 }
    }
    interface IPriced { int Price(); }
    struct Pair { int a; }
    record Point(int X, int Y);
}
