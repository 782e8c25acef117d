package tflite

import "fmt"

// kind is what is known of an operator.
type kind struct {
	name string
	// in is how many inputs it has at least, and out how many outputs exactly; less than zero: any number.
	in, out int
	build   func(*compiler, *operator) (step, error) // nil: it is not implemented
}

// kinds also has operators that are not implemented, as far as ESPHome knows them, for
// errors.
var kinds = map[opcode]kind{
	opAdd:            {"ADD", 2, 1, alone(newAdd)},
	1:                {name: "AVERAGE_POOL_2D"},
	opConcatenation:  {"CONCATENATION", 1, 1, alone(newConcatenation)},
	opConv2D:         {"CONV_2D", 2, 1, alone(newConv)},
	opDepthwise:      {"DEPTHWISE_CONV_2D", 2, 1, alone(newDepthwise)},
	opDequantize:     {"DEQUANTIZE", 1, 1, alone(newDequantize)},
	opFullyConnected: {"FULLY_CONNECTED", 2, 1, alone(newFullyConnected)},
	opLogistic:       {"LOGISTIC", 1, 1, alone(newLogistic)},
	17:               {name: "MAX_POOL_2D"},
	opMul:            {"MUL", 2, 1, alone(newMul)},
	opReshape:        {"RESHAPE", 1, 1, alone(newReshape)},
	34:               {name: "PAD"},
	40:               {name: "MEAN"},
	opStridedSlice:   {"STRIDED_SLICE", 4, 1, alone(newSlice)},
	83:               {name: "PACK"},
	opSplitV:         {"SPLIT_V", 3, -1, alone(newSplit)},
	opQuantize:       {"QUANTIZE", 1, 1, alone(newQuantize)},
	opCallOnce:       {name: "CALL_ONCE"}, // callOnce does it
	opVarHandle:      {"VAR_HANDLE", 0, 1, (*compiler).varHandle},
	opReadVariable:   {"READ_VARIABLE", 1, 1, alone(newRead)},
	opAssignVariable: {"ASSIGN_VARIABLE", 2, 0, alone(newAssign)},
}

// alone adapts a builder that needs no other operator.
func alone(build func(*operator) (step, error)) func(*compiler, *operator) (step, error) {
	return func(_ *compiler, o *operator) (step, error) { return build(o) }
}

func (o opcode) String() string {
	if k, ok := kinds[o]; ok {
		return k.name
	}
	return fmt.Sprintf("operator %d", int32(o))
}
