package tflite

// opcode is a built-in operator of TensorFlow Lite, as schema.fbs numbers them.
type opcode int32

const (
	opAdd            opcode = 0
	opConcatenation  opcode = 2
	opConv2D         opcode = 3
	opDepthwise      opcode = 4
	opDequantize     opcode = 6
	opFullyConnected opcode = 9
	opLogistic       opcode = 14
	opMul            opcode = 18
	opReshape        opcode = 22
	opStridedSlice   opcode = 45
	opSplitV         opcode = 102
	opQuantize       opcode = 114
	opCallOnce       opcode = 129
	opVarHandle      opcode = 142
	opReadVariable   opcode = 143
	opAssignVariable opcode = 144
)
