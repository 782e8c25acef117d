// The last turns, and why each took as long as it did.
import { $, el, api, act, clock, day, ms, replace, setText, toast, words } from "./dom.js";
import * as sound from "./sound.js";

const page = 60;

let app, list, note, kept, sort, chosen = 0, turns = [], shown = false, more, soon = 0;

export function start(a) {
  app = a;
  sort = el("select", { id: "turn-sort", change: () => load() },
    el("option", { value: "newest" }, "newest first"), el("option", { value: "slowest" }, "slowest first"));
  list = el("ol", { class: "turn-list" });
  note = el("p", { class: "muted" });
  kept = el("div", {});
  more = el("button", { click: (e) => act(e.target, older), hidden: true }, "Show older ones");
  $("page-turns").append(
    el("div", { class: "card" },
      el("div", { class: "bar-row" }, el("label", { for: "turn-sort" }, "Sort"), sort, note),
      kept, legend(), list, more));
  app.live.on("event:turn", () => {
    clearTimeout(soon); // the newest of several loads all
    if (shown) soon = setTimeout(load, 400);
  });
  app.live.on("open", () => { if (shown) load(); });
}

export function show(arg) {
  shown = true;
  if (arg) chosen = Number(arg);
  load().then(() => { if (arg) document.querySelector(`[data-turn-row="${chosen}"]`)?.scrollIntoView({ block: "center" }); });
}

export function hide() {
  shown = false;
  turns = [];
  replace(list);
}

async function load() {
  try {
    turns = await api("GET", `/v1/turns?limit=${Math.max(page, Math.min(turns.length, 500))}&sort=${sort.value}`);
    if (chosen && !turns.some((t) => t.turn === chosen)) {
      turns.push(...(await api("GET", `/v1/turns?limit=1&before=${chosen + 1}`)).filter((t) => t.turn === chosen));
    }
    draw();
  } catch (e) {
    toast(e.message, true);
  }
}

async function older() {
  const last = turns.at(-1);
  turns.push(...await api("GET", `/v1/turns?limit=${page}&before=${last.turn}`));
  draw();
}

function draw() {
  const open = list.querySelector("details[open]")?.closest("li")?.dataset.turnRow;
  const longest = Math.max(1000, ...turns.map((t) => waited(t)));
  replace(list, turns.map((t) => line(t, longest, chosen ? chosen === t.turn : String(t.turn) === open)));
  chosen = 0;
  const times = turns.map(waited).filter(Boolean).sort((a, b) => a - b);
  setText(note, times.length ? `${turns.length} turns; heard after ${ms(at(times, 0.5))} (half of them), ${ms(at(times, 0.9))} (nine of ten)` : "Nothing has happened yet.");
  const recording = app.status?.recordings;
  replace(kept, recording && sound.all(recording, load));
  more.hidden = sort.value !== "newest" || turns.length < page || turns.length >= 500;
}

const at = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];
const waited = (t) => t.source === "announcement" ? 0 : t.stages_ms.first_sound || t.stages_ms.total;

const kinds = [
  ["speech", "speech"], ["endpoint", "waiting for the end"], ["stt", "speech to text"], ["think", "finding the answer"],
  ["tool", "tools"], ["tts", "making the voice"], ["play", "speaking"],
];

function legend() {
  return el("ul", { class: "legend", "aria-label": "Colours" },
    kinds.map(([k, name]) => el("li", {}, el("span", { class: "swatch " + k, "aria-hidden": "true" }), name)));
}

// spans are the stages of a turn, in ms after it began.
function spans(t) {
  const s = t.stages_ms, out = [];
  const mark = (kind) => t.marks.find((m) => m.kind === kind)?.at_ms;
  const ended = -(s.endpoint + s.stt); // the end of the person's speech
  const add = (kind, name, from, to) => { if (to > from || kind === "tool") out.push({ kind, name, from, to: Math.max(to, from) }); };
  if (mark("speech") !== undefined) add("speech", "speech", Math.min(mark("speech"), ended), ended);
  add("endpoint", "waiting for the end", ended, -s.stt);
  add("stt", "speech to text", -s.stt, 0);
  if (t.first_token_ms) {
    add("think", "prompt evaluation", 0, t.first_token_ms);
    add("think", "first sentence", t.first_token_ms, s.route);
  } else {
    add("think", t.route === "intent" ? "intent" : "finding the answer", 0, s.route);
  }
  for (const c of t.calls) add("tool", c.tool, c.at_ms, c.at_ms + c.took_ms);
  if (s.first_sound) {
    const first = s.first_sound + ended;
    add("tts", "making the voice", first - s.play - s.tts, first - s.play);
    add("play", "to the speaker", first - s.play, first);
    add("play", "speaking", first, Math.max(first, s.total + ended));
  }
  return out;
}

function line(t, longest, open) {
  const s = t.stages_ms;
  const parts = [["endpoint", s.endpoint], ["stt", s.stt], ["think", Math.max(0, s.route - s.tool)], ["tool", s.tool], ["tts", s.tts], ["play", s.play]];
  const strip = el("span", { class: "strip-bar", "aria-hidden": "true" });
  let left = longest;
  for (const [kind, n] of parts) {
    const width = Math.min(n, left);
    left -= width;
    if (width <= 0) continue;
    const p = el("span", { class: kind });
    p.style.width = (100 * width) / longest + "%";
    strip.append(p);
  }
  const bad = t.outcome !== "answered";
  const d = el("details", { open },
    el("summary", {},
      el("span", { class: "when" }, day(t.begun)),
      el("span", { class: "said" }, t.transcript || (t.source === "announcement" ? t.answer || "announcement" : words(t.intent || t.source))),
      el("span", { class: "chip " + (bad ? "warn" : "") }, bad ? words(t.outcome) : words(t.route)),
      strip,
      el("span", { class: "took" }, waited(t) ? ms(waited(t)) : "–")));
  const fill = () => { if (d.open && d.children.length === 1) d.append(detail(t)); };
  d.addEventListener("toggle", fill);
  if (open) fill();
  return el("li", { "data-turn-row": t.turn }, d);
}

function detail(t) {
  const all = spans(t);
  const points = t.marks.filter((m) => ["wake", "barge_in", "hushed"].includes(m.kind));
  const times = [...all.flatMap((s) => [s.from, s.to]), ...points.map((m) => m.at_ms), 0];
  const from = Math.min(...times), length = Math.max(1, Math.max(...times) - from);
  const pos = (n) => (100 * (n - from)) / length;
  const rows = all.map((s) => {
    const bar = el("span", { class: "span " + s.kind });
    bar.style.left = pos(s.from) + "%";
    bar.style.width = Math.max(0.4, pos(s.to) - pos(s.from)) + "%";
    return el("li", {}, el("span", { class: "name" }, s.name), el("span", { class: "lane" }, bar),
      el("span", { class: "took" }, ms(s.to - s.from)));
  });
  return el("div", { class: "detail" },
    el("ol", { class: "waterfall", "aria-label": "What took how long" }, rows),
    el("ul", { class: "why" }, reasons(t, from).map((r) => el("li", {}, r))),
    el("dl", { class: "facts" }, facts(t).map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])),
    t.sound && sound.sound(t, load),
    t.calls.filter((c) => c.arguments || c.result).map((c) => el("pre", {}, `${c.tool} ${c.arguments || ""}\n${c.result || ""}`.trim())));
}

// reasons tell what changed the course of the turn, and when.
function reasons(t, from) {
  const out = [];
  const when = (m) => `${ms(m.at_ms - from)}: `;
  const routes = t.marks.filter((m) => m.kind === "routed");
  for (const m of t.marks) {
    switch (m.kind) {
      case "wake": out.push(when(m) + `the wake word “${m.text}” was heard`); break;
      case "speech_end": out.push(when(m) + `the speech was over: ${words(m.text)}`); break;
      case "begun": out.push(when(m) + `the turn began, opened by ${words(m.text)}`); break;
      case "routed":
        out.push(when(m) + (m === routes[0] ? `answered by ${words(m.text)}` : `answered by ${words(m.text)} instead`));
        break;
      case "first_audio": out.push(when(m) + "the voice began"); break;
      case "barge_in": out.push(when(m) + "somebody spoke over the answer"); break;
      case "hushed": out.push(when(m) + `“${m.text}” was said`); break;
    }
  }
  const why = t.reason && t.reason !== t.outcome ? `, because of ${words(t.reason)}` : "";
  out.push(`${ms(t.stages_ms.total - (t.stages_ms.endpoint + t.stages_ms.stt) - from)}: ${words(t.outcome)}${why}`);
  return out;
}

function facts(t) {
  return [
    ["Turn", `${t.turn}, session ${t.session}, ${clock(t.begun)}`],
    t.intent && ["Intent", t.intent],
    t.thinker && ["Thinker", t.thinker + (t.cached ? ", from the cache" : "")],
    t.prompt_tokens && ["Prompt", `${t.prompt_tokens} tokens` + (t.evaluated_tokens ? `, ${t.evaluated_tokens} of them evaluated` : "")],
    t.output_tokens && ["Written", `${t.output_tokens} tokens`],
    t.cost && ["Cost", `${t.cost.toFixed(4)} ${app.status?.responder?.currency || ""}`],
    t.recalled && ["Memory", `${t.recalled} notes`],
    t.answer && ["Answer", t.answer],
    t.sources && ["Sources", t.sources.map((s) => s.title).join(", ")],
    ["Log", `journalctl HEARTHD_TURN=${t.turn}`],
  ].filter(Boolean);
}
