package calc

import (
	"math"
	"math/big"
)

// Bounds of what is calculated.
const (
	maxBits     = 2048 // of a numerator or denominator
	maxExponent = 1000
	precision   = 192 // bits of a root that is not exact
)

const tooLarge = sayable("tell")

// plain is v as a number: 20 % is a fifth.
func plain(v value) value {
	if v.percent {
		v.rat, v.percent = new(big.Rat).Mul(v.rat, big.NewRat(1, 100)), false
	}
	return v
}

func times(v, w value) value {
	return value{rat: new(big.Rat).Mul(v.rat, w.rat), rounded: v.rounded || w.rounded}
}

// bounded refuses a value that is too large, and rounds one with too many digits.
func bounded(v value) (value, error) {
	if v.rat.Num().BitLen() <= maxBits && v.rat.Denom().BitLen() <= maxBits {
		return v, nil
	}
	f := new(big.Float).SetPrec(precision).SetRat(v.rat)
	if e := f.MantExp(nil); e > maxBits || e < -maxBits {
		return value{}, tooLarge
	}
	r, _ := f.Rat(nil)
	return value{rat: r, rounded: true}, nil
}

// raise is v to the power of a whole number, or its square root.
func raise(v, exponent value) (value, error) {
	if exponent.rat.Cmp(big.NewRat(1, 2)) == 0 {
		return root(v, "sqrt")
	}
	if !exponent.rat.IsInt() {
		return value{}, sayable("raise")
	}
	n := exponent.rat.Num()
	if !n.IsInt64() || n.Int64() > maxExponent || n.Int64() < -maxExponent {
		return value{}, tooLarge
	}
	// By squaring, so that values with too many digits are rounded on the way.
	e := new(big.Int).Abs(n)
	power := value{rat: big.NewRat(1, 1), rounded: v.rounded || exponent.rounded}
	var err error
	for i := e.BitLen() - 1; i >= 0 && err == nil; i-- {
		power, err = bounded(times(power, power))
		if err == nil && e.Bit(i) == 1 {
			power, err = bounded(times(power, v))
		}
	}
	if err == nil && n.Sign() < 0 {
		if power.rat.Sign() == 0 {
			return value{}, sayable("divide")
		}
		power.rat.Inv(power.rat)
	}
	return power, err
}

// root is the square or cube root of v. A square root is exact if it is a fraction; a cube root
// if it is a whole number or finite in binary.
func root(v value, kind string) (value, error) {
	if kind == "cbrt" {
		f, _ := v.rat.Float64()
		c := math.Cbrt(f)
		if math.IsInf(c, 0) || math.IsNaN(c) {
			return value{}, tooLarge
		}
		r := new(big.Rat).SetFloat64(c)
		for _, exact := range []*big.Rat{new(big.Rat).SetFloat64(math.Round(c)), r} {
			if new(big.Rat).Mul(exact, new(big.Rat).Mul(exact, exact)).Cmp(v.rat) == 0 {
				return value{rat: exact, rounded: v.rounded}, nil
			}
		}
		return value{rat: r, rounded: true}, nil
	}
	if v.rat.Sign() < 0 {
		return value{}, sayable("root")
	}
	num, denom := new(big.Int).Sqrt(v.rat.Num()), new(big.Int).Sqrt(v.rat.Denom())
	r := new(big.Rat).SetFrac(num, denom)
	if new(big.Rat).Mul(r, r).Cmp(v.rat) == 0 {
		return value{rat: r, rounded: v.rounded}, nil
	}
	f := new(big.Float).SetPrec(precision).SetRat(v.rat)
	r, _ = f.Sqrt(f).Rat(nil)
	return value{rat: r, rounded: true}, nil
}
