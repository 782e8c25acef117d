// Writes the probabilities that onnxruntime gives for a signal, one per line.
//
//   go test ./vad/silero -run Golden -signal /tmp/ort/signal.raw
//   cp golden.mjs /tmp/ort && cd /tmp/ort && npm install onnxruntime-web@1.20.1
//   node golden.mjs silero_vad_16k_op15.onnx signal.raw > golden.txt
//
// The signal is S16 in little-endian order at 16 kHz, without a header.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const ort = createRequire(join(process.cwd(), 'x.js'))('onnxruntime-web')
ort.env.wasm.numThreads = 1

const [, , modelPath, signalPath] = process.argv
const session = await ort.InferenceSession.create(readFileSync(modelPath))
const signal = readFileSync(signalPath)
const rate = new ort.Tensor('int64', BigInt64Array.of(16000n), [])
let state = new ort.Tensor('float32', new Float32Array(2 * 128), [2, 1, 128])
const input = new Float32Array(64 + 512)
for (let at = 0; at + 1024 <= signal.length; at += 1024) {
  input.copyWithin(0, 512)
  for (let i = 0; i < 512; i++) input[64 + i] = signal.readInt16LE(at + 2 * i) / 32768
  const got = await session.run({ input: new ort.Tensor('float32', input, [1, 576]), state, sr: rate })
  state = got.stateN
  console.log(got.output.data[0].toFixed(7))
}
