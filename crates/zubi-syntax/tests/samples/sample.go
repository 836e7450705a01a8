package money

import "fmt"

// Max is the maximum.
const Max = 9

const (
	A = iota
	B
)

var count, other int

// Rate is a rate.
type Rate struct {
	Value int
	fmt.Stringer
	a, b string
}

type Priced interface {
	Price() int
	fmt.Stringer
}

type (
	Rates []Rate
	Alias = Rate
)

// New makes a rate.
func New(v int) *Rate { f := func() {}; f(); return &Rate{Value: v} }

func (r *Rate) Price() int { return r.Value }

func Map[T any](xs []T) []T { return xs }
