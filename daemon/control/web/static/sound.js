// What a turn was asked by, as it was heard, where the owner has that kept.
import { el, act, api, ask, confirmed, toast } from "./dom.js";

const wavHeader = 44; // bytes

// sound shows the recording of a turn; erased is called when it is gone.
export function sound(t, erased) {
  const canvas = el("canvas", { class: "wave small", width: 600, height: 56, role: "img", "aria-label": "Loading the recording" });
  const player = el("audio", { controls: true, "aria-label": "The request, as it was heard" });
  const at = `/v1/turns/${t.turn}/sound`;
  act(null, async () => {
    const res = await ask(at);
    if (!res.ok) throw new Error("The recording is gone.");
    const wav = await res.arrayBuffer();
    const samples = new Int16Array(wav, wavHeader);
    // A player would ask without the session; what it is given ends with the page.
    player.src = URL.createObjectURL(new Blob([wav], { type: "audio/wav" }));
    canvas.setAttribute("aria-label", `The shape of the request, ${(samples.length / 16000).toFixed(1)} s`);
    draw(canvas, samples);
  });
  return el("div", { class: "sound" },
    el("p", { class: "muted small" }, "What was heard"), canvas,
    el("div", { class: "buttons" },
      player,
      el("button", { class: "erase", click: (e) => act(e.target, async () => {
        await api("POST", "/v1/turns/erase", { turn: t.turn });
        URL.revokeObjectURL(player.src);
        erased();
      }) }, "Erase this recording")));
}

function draw(canvas, samples) {
  const c = canvas.getContext("2d");
  c.fillStyle = getComputedStyle(canvas).getPropertyValue("--wave-level");
  const { width, height } = canvas;
  for (let x = 0; x < width; x++) {
    let peak = 0;
    const end = Math.floor(((x + 1) * samples.length) / width);
    for (let i = Math.floor((x * samples.length) / width); i < end; i++) peak = Math.max(peak, Math.abs(samples[i]));
    const tall = Math.max(1, (Math.sqrt(peak / 32768)) * height);
    c.fillRect(x, (height - tall) / 2, 1, tall);
  }
}

// all is what is said of the recordings together.
export function all(count, erased) {
  return el("p", { class: "note-row" },
    `The last ${count} requests can be heard again. They stay in memory, for a day at most. `,
    el("button", { class: "erase-all", click: async (e) => {
      if (!await confirmed("Erase all recordings? They cannot be brought back.", "Erase")) return;
      await act(e.target, async () => {
        const { erased: n } = await api("POST", "/v1/turns/erase", { all: true });
        toast(n === 1 ? "One recording is erased." : `${n} recordings are erased.`);
        erased();
      });
    } }, "Erase all recordings"));
}
