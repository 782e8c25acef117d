// What the gate hears and decides: the last minute as it was, and the numbers that it
// goes by. Only the shape of the sound comes here, never the sound.
import { $, el, act, api, clock, replace, row, setText, table, toast, words } from "./dom.js";

const frames = 3000; // a minute of 20 ms
const open = 1, held = 2;

let app, canvas, label, fields = {}, note, keep, models, command, install, installs, told, shown = false, drawing = 0, settings = null, ends;

// The ring of frames: level, probability, what the gate did.
let ring = null, at = 0, count = 0, floor = -80;

const knobs = [
  ["threshold", "Speech begins above", "%", 5, 95, 1, (v) => v * 100, (v) => v / 100, "Lower it if the box misses quiet speech, raise it if noise wakes it."],
  ["release", "Speech pauses below", "%", 5, 95, 1, (v) => v * 100, (v) => v / 100, "Not above the one before."],
  ["pre_roll_ms", "Kept from before speech", "ms", 0, 2000, 50, (v) => v, (v) => v, "Raise it if the first syllable is lost."],
  ["end_silence_ms", "Silence that ends a request", "ms", 200, 5000, 50, (v) => v, (v) => v, "Raise it for people who pause, lower it for quicker answers."],
  ["min_speech_ms", "Shortest speech", "ms", 50, 2000, 50, (v) => v, (v) => v, "What is shorter is a knock or a cough."],
];
const keys = { threshold: "threshold", release: "release", pre_roll_ms: "pre_roll", end_silence_ms: "end_silence", min_speech_ms: "min_speech" };

export function start(a) {
  app = a;
  canvas = el("canvas", { class: "wave", width: 1200, height: 260, role: "img", "aria-labelledby": "wave-label" });
  label = el("p", { class: "muted small", id: "wave-label" }, "What the microphone heard, and what the gate made of it.");
  ends = el("ul", { class: "why", "aria-label": "Decisions of the gate" });
  note = el("p", { class: "muted small" });
  keep = el("pre", { hidden: true });
  models = el("div", { "aria-live": "polite" });
  command = el("pre", {});
  install = el("button", { class: "primary", type: "button", hidden: true, click: (e) => act(e.target, installSpeech) }, "Install modern speech");
  installs = el("p", { class: "muted small" });
  told = el("pre", { hidden: true, role: "log", "aria-label": "What the installation says" });
  $("page-hearing").append(
    el("div", { class: "card" }, el("h2", {}, "The last minute"),
      el("ul", { class: "legend", "aria-label": "Colours" },
        [["level", "sound"], ["speech-open", "taken as speech"], ["kept", "kept from before"], ["held", "not listened to: the speaker sounds"], ["likely", "how likely it is speech"]]
          .map(([k, name]) => el("li", {}, el("span", { class: "swatch " + k, "aria-hidden": "true" }), name))),
      canvas, label, ends),
    el("div", { class: "card" }, el("h2", {}, "What the gate goes by"),
      el("form", { id: "tune", submit: (e) => { e.preventDefault(); tune(e.submitter); } },
        knobs.map(knob),
        el("div", { class: "buttons" }, el("button", { class: "primary" }, "Use it now"),
          el("button", { type: "button", click: (e) => act(e.target, back) }, "Back to the configuration"))),
      note, keep),
    el("div", { class: "card" }, el("h2", {}, "Engines"), models,
      installs, command,
      el("div", { class: "buttons" }, install, el("button", { type: "button", click: (e) => act(e.target, copy) }, "Copy the command")), told));
  app.live.on("meter", (m) => { if (shown && m.wave) take(m); });
  app.live.on("event:speech_ended", (e) => { if (shown) decided(`${clock(e.time)}: ${e.seconds.toFixed(1)} s of speech, ${words(e.reason)}`); });
  app.live.on("event:ignored", (e) => { if (shown) decided(`${clock(e.time)}: not answered, ${words(e.reason)}`); });
}

function decided(text) {
  ends.prepend(el("li", {}, text));
  while (ends.children.length > 8) ends.lastChild.remove();
}

function knob([key, name, unit, min, max, step, , , help]) {
  const id = "knob-" + key;
  const out = el("output", { for: id });
  const input = el("input", { id, type: "range", min, max, step, input: () => setText(out, `${input.value} ${unit}`) });
  fields[key] = { input, out, unit };
  return el("div", { class: "field" }, el("label", { class: "row", for: id }, el("span", {}, name), input, out), el("p", { class: "muted small" }, help));
}

export function show() {
  shown = true;
  ring = new Int8Array(3 * frames);
  at = count = 0;
  app.live.want("hearing", ["wave"]);
  drawing = requestAnimationFrame(draw);
  act(null, load);
}

// hide lets go of everything.
export function hide() {
  shown = false;
  ring = null;
  cancelAnimationFrame(drawing);
  app.live.want("hearing", []);
  ends.replaceChildren();
}

async function load() {
  put(await api("GET", "/v1/hearing"));
  engines(await api("GET", "/v1/engines"));
}

// installSpeech asks for it, and follows what it says while the page is shown. hearthd starts again at its end.
async function installSpeech() {
  await api("POST", "/v1/engines/install");
  toast("The box installs modern speech.");
  clearInterval(following);
  following = setInterval(() => { if (shown) api("GET", "/v1/engines").then(engines, () => {}); }, 2000);
}

const tasks = { hear: "hears", speak: "speaks" };

function engines(e) {
  setText(command, e.command);
  install.hidden = !e.installs;
  told.hidden = !e.log?.length;
  setText(told, (e.log || []).join("\n"));
  setText(installs, "Modern speech gets onto the box by one command there: it fetches models, measures them and takes the best. " +
    (e.installs ? "The button has the box run it." : "Only root may, so this page cannot."));
  replace(models,
    el("p", {}, `It hears with ${engine(e.hears)} and speaks with ${engine(e.speaks)}.`),
    e.mistake ? el("p", { class: "bad" }, e.mistake) : "",
    e.models.length ? table(["Model", "For", "Languages", ""], e.models.map((m) => row(
      el("code", {}, m.name), tasks[m.task] || words(m.task), m.languages.join(", ") || "many",
      m.used ? el("span", { class: "chip" }, "used") : "")), "Models of speech")
      : el("p", { class: "muted" }, "No model of speech is installed."));
}

const engine = (name) => (name === "wyoming" ? "a speech server" : name);

async function copy() {
  if (!navigator.clipboard) { // only a page that came over https or from this machine may
    getSelection().selectAllChildren(command);
    toast("The command is marked: copy it.");
    return;
  }
  await navigator.clipboard.writeText(command.textContent);
  toast("Copied.");
}

function put(h) {
  settings = h;
  app.threshold = h.threshold;
  for (const [key, , unit, , , , from] of knobs) {
    fields[key].input.value = from(h[key]);
    setText(fields[key].out, `${fields[key].input.value} ${unit}`);
  }
  setText(note, h.configured ? "These are the values of the configuration." : "Tuned by hand: it holds until the next start or reload. To keep it:");
  keep.hidden = h.configured;
  keep.textContent = h.configured ? "" : Object.entries(keys).map(([k, name]) =>
    `hearthctl config set listen.${name} ${k.endsWith("_ms") ? h[k] + "ms" : h[k]}`).join("\n");
}

async function tune(button) {
  const h = { ...settings };
  for (const [key, , , , , , , to] of knobs) h[key] = to(Number(fields[key].input.value));
  const now = await act(button, () => api("POST", "/v1/hearing", h));
  if (now) {
    put(now);
    toast("The gate goes by these values now.");
  }
}

async function back() {
  const r = await api("POST", "/v1/reload");
  if (r.problems?.length) throw new Error(r.problems[0]);
  await load();
}

function take(m) {
  floor = m.floor_dbfs;
  for (const f of m.wave) {
    ring.set(f, 3 * at);
    at = (at + 1) % frames;
    count = Math.min(count + 1, frames);
  }
}

let last = -1, following = 0;

function draw() {
  drawing = requestAnimationFrame(draw);
  if (!ring || last === at && count) return;
  last = at;
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const w = Math.round(canvas.clientWidth * ratio), h = Math.round(260 * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const c = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  const color = (name) => style.getPropertyValue(name);
  c.clearRect(0, 0, w, h);
  const x = (i) => (w * (frames - count + i)) / frames;
  const wide = w / frames + 1;
  const mid = h * 0.36, tall = h * 0.34;
  const size = (db) => Math.max(0, (db + 80) / 80) * tall;
  const preRoll = (settings?.pre_roll_ms || 0) / 20;
  const of = (i) => 3 * ((at - count + i + frames) % frames);
  const patch = (name, from, to) => {
    c.fillStyle = color(name);
    c.fillRect(x(from), 0, x(to) - x(from), 2 * mid);
  };
  for (let i = 0, from = 0; i <= count; i++) { // runs of frames with which the same was done
    const flags = i < count ? ring[of(i) + 2] : -1, was = i ? ring[of(i - 1) + 2] : flags;
    if (i && flags === was) continue;
    if (was & open) {
      patch("--wave-kept", Math.max(0, from - preRoll), from);
      patch("--wave-open", from, i);
    } else if (was & held) {
      patch("--wave-held", from, i);
    }
    from = i;
  }
  c.fillStyle = color("--wave-level");
  for (let i = 0; i < count; i++) {
    const a = size(ring[of(i)]);
    c.fillRect(x(i), mid - a, wide, 2 * a + 1);
  }
  c.strokeStyle = color("--wave-floor");
  c.setLineDash([6, 6]);
  for (const s of [-1, 1]) {
    c.beginPath();
    c.moveTo(0, mid + s * size(floor));
    c.lineTo(w, mid + s * size(floor));
    c.stroke();
  }
  // Below, how likely each frame is speech, with the thresholds.
  const base = h - 4 * ratio, high = h * 0.22;
  for (const v of [settings?.threshold, settings?.release]) {
    if (v === undefined) continue;
    c.beginPath();
    c.moveTo(0, base - v * high);
    c.lineTo(w, base - v * high);
    c.stroke();
  }
  c.setLineDash([]);
  c.strokeStyle = color("--wave-likely");
  c.lineWidth = 1.5 * ratio;
  c.beginPath();
  for (let i = 0; i < count; i++) c[i ? "lineTo" : "moveTo"](x(i), base - (ring[of(i) + 1] / 100) * high);
  c.stroke();
  c.lineWidth = 1;
}
