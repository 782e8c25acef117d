// Package act has the devices of the home do what people say, and tells how they are: the tools home_control,
// home_read, home_choose, home_undo and home_later. It knows what a person must confirm, when a device has done what it
// was told, and how an order is taken back.
//
// Its goroutines are those that send commands, and end with the call. The names of devices come from the network: a
// result that contains one which the call does not contain is marked foreign. It must not import daemon or memory.
package act
