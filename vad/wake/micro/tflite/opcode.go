package tflite

import "fmt"

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

// names also has operators that are not implemented, as far as ESPHome knows them, for
// errors.
var names = map[opcode]string{
	opAdd:            "ADD",
	1:                "AVERAGE_POOL_2D",
	opConcatenation:  "CONCATENATION",
	opConv2D:         "CONV_2D",
	opDepthwise:      "DEPTHWISE_CONV_2D",
	opDequantize:     "DEQUANTIZE",
	opFullyConnected: "FULLY_CONNECTED",
	opLogistic:       "LOGISTIC",
	17:               "MAX_POOL_2D",
	opMul:            "MUL",
	opReshape:        "RESHAPE",
	34:               "PAD",
	40:               "MEAN",
	opStridedSlice:   "STRIDED_SLICE",
	83:               "PACK",
	opSplitV:         "SPLIT_V",
	opQuantize:       "QUANTIZE",
	opCallOnce:       "CALL_ONCE",
	opVarHandle:      "VAR_HANDLE",
	opReadVariable:   "READ_VARIABLE",
	opAssignVariable: "ASSIGN_VARIABLE",
}

func (o opcode) String() string {
	if n, ok := names[o]; ok {
		return n
	}
	return fmt.Sprintf("operator %d", int32(o))
}
