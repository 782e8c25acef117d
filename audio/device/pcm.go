package device

import "encoding/binary"

// downmix fills mono with the mean of the channels of as many little-endian
// sample frames of in.
func downmix(mono []int16, in []byte, channels int) {
	if channels == 1 {
		for i := range mono {
			mono[i] = int16(binary.LittleEndian.Uint16(in[2*i:]))
		}
		return
	}
	if channels == 2 {
		for i := range mono {
			both := binary.LittleEndian.Uint32(in[4*i:])
			mono[i] = int16((int32(int16(both)) + int32(both)>>16) / 2)
		}
		return
	}
	for i := range mono {
		sum := 0
		for range channels {
			sum += int(int16(binary.LittleEndian.Uint16(in)))
			in = in[2:]
		}
		mono[i] = int16(sum / channels)
	}
}

// upmix writes mono to every channel of as many little-endian sample frames of
// out.
func upmix(out []byte, mono []int16, channels int) {
	for _, v := range mono {
		for range channels {
			binary.LittleEndian.PutUint16(out, uint16(v))
			out = out[2:]
		}
	}
}
