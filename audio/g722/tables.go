package g722

// The tables of ITU-T G.722 (09/2012), section 6. They are arrays of constants, so
// nothing is made at the start.

// The quadrature mirror filter (table 11): every second coefficient; the others are
// these from the end.
var mirror = [12]int32{3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11}

// Lower band: decision levels of the quantiser, and the codes of differences below
// and above zero (tables 14 and 17).
var (
	levels = [31]int32{
		0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714,
		786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919, 0,
	}
	codesBelow = [31]byte{
		0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19,
		18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
	}
	codesAbove = [31]byte{
		0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47,
		46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
	}
)

// Inverse quantisers of the lower band with 6 and with 4 bits, and of the higher band
// with 2 (tables 15 to 20), in units of 1/32768 of the scale.
var (
	inverse6 = [64]int32{
		-136, -136, -136, -136, -24808, -21904, -19008, -16704,
		-14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
		-7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576,
		-3168, -2776, -2400, -2032, -1688, -1360, -1040, -728,
		24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192,
		10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456,
		4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032,
		1688, 1360, 1040, 728, 432, 136, -432, -136,
	}
	inverse4 = [16]int32{
		0, -20456, -12896, -8968, -6288, -4240, -2584, -1200,
		20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
	}
	inverse2 = [4]int32{-7408, -1616, 7408, 1616}
)

// How a code changes the scale: logarithmic multipliers by the code's magnitude, and
// the magnitudes (tables 13 and 21).
var (
	multiplierLow  = [8]int32{-60, -30, 58, 172, 334, 538, 1198, 3042}
	magnitudeLow   = [16]byte{0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0}
	multiplierHigh = [3]int32{0, -214, 798}
	magnitudeHigh  = [4]byte{2, 1, 2, 1}
)

// antilog is 2^(i/32) in units of 1/2048 (table 12).
var antilog = [32]int32{
	2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834,
	2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
}
