// What the box hears and does now, and its buttons.
import { $, el, act, api, setText, replace, span, words } from "./dom.js";

let app, bars, facts;

export function start(a) {
  app = a;
  $("talk").addEventListener("click", (e) => act(e.target, () => api("POST", "/v1/listen")));
  $("stop").addEventListener("click", (e) => act(e.target, () => api("POST", "/v1/stop")));
  $("mute").addEventListener("click", () => mute(!app.status?.muted));
  $("volume").addEventListener("input", (e) => setText($("volume-now"), e.target.value + " %"));
  $("volume").addEventListener("change", (e) =>
    act(null, () => api("POST", "/v1/volume", { percent: Number(e.target.value) })));
  $("dnd").addEventListener("change", (e) => act(e.target, () => api("POST", "/v1/dnd", { on: e.target.checked })));
  $("policy").addEventListener("change", (e) =>
    act(e.target, () => api("POST", "/v1/policy", { policy: e.target.checked ? "local" : "auto" })));
  bars = new Bars($("meters"));
  app.live.on("meter", (m) => bars.show(m));
  app.live.on("closed", () => bars.rest());
  app.live.on("open", () => api("GET", "/v1/hearing").then((h) => { app.threshold = h.threshold; }).catch(() => {}));
  app.live.on("event:speech_started", () => { heard = "somebody speaks"; tell(); });
  app.live.on("event:speech_ended", () => { heard = ""; tell(); });
  app.live.on("event:routed", (e) => { route = e.route; tell(); });
}

export const show = () => app.live.want("now", ["meter"]);
export const hide = () => app.live.want("now", []);

// mute shows at once what it asks for, and what became of it.
function mute(muted) {
  const b = $("mute");
  b.setAttribute("aria-pressed", String(muted));
  act(null, () => api("POST", "/v1/mute", { muted })).then(() => app.refresh()).catch(() => {});
}

let heard = "", route = "";

// waits is what the box waits for where that is not only a word.
const waits = { off: "It answers what is written; the microphone stays closed", button: "Waiting for a button or a wake word" };

function tell() {
  const s = app.status;
  if (!s) return;
  const doing = {
    idle: heard || waits[s.wake] || "Waiting for the wake word",
    listening: "Go ahead, it hears you",
    thinking: route ? "Answered by: " + words(route) : "Looking for the answer",
    muted: "The microphone is closed",
    faulted: s.conditions.map((c) => c.text).join(" "),
  };
  setText($("what"), app.says[s.state] || words(s.state));
  setText($("doing"), doing[s.state] ?? (route ? "By " + words(route) : ""));
}

export function status(s) {
  $("orb").dataset.state = s.state;
  $("mute").setAttribute("aria-pressed", String(s.muted));
  setText($("mute"), s.muted ? "Unmute" : "Mute");
  if (document.activeElement !== $("volume")) $("volume").value = s.volume;
  setText($("volume-now"), s.volume + " %");
  $("dnd").checked = Boolean(s.dnd);
  $("policy-label").hidden = !s.policy;
  $("policy").checked = s.policy === "local";
  if (s.muted) bars.rest();
  tell();
  const list = [
    ["Answers", s.policy === "auto" ? "box first, then the cloud" : "at home only"],
    ["Broker", s.broker],
    ["Up", span(s.uptime_s)],
    ["Turns", String(s.turns)],
    ["Lost samples", String(s.dropped)],
    s.responder ? ["Spent today", `${s.responder.day.toFixed(2)} of ${s.responder.daily_budget} ${s.responder.currency}`] : null,
  ].filter(Boolean);
  const text = JSON.stringify(list);
  if (text === facts) return;
  facts = text;
  replace($("facts"), list.map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
}

// A bar is a value of 0 to 1 with a mark in it.
class Bar {
  constructor(into, name) {
    this.fill = el("span", { class: "fill" });
    this.mark = el("span", { class: "mark", hidden: true });
    this.peak = el("span", { class: "peak", hidden: true });
    this.text = el("span", { class: "value" });
    this.bar = el("span", { class: "bar", role: "meter", "aria-label": name, "aria-valuemin": 0, "aria-valuemax": 100 },
      this.fill, this.mark, this.peak);
    this.root = el("div", { class: "meter" }, el("span", { class: "name" }, name), this.bar, this.text);
    into.append(this.root);
  }

  set(value, text, { mark, peak, hot } = {}) {
    value = Math.min(1, Math.max(0, value));
    this.fill.style.transform = `scaleX(${value.toFixed(3)})`;
    this.fill.classList.toggle("hot", Boolean(hot));
    this.#at(this.mark, mark);
    this.#at(this.peak, peak);
    setText(this.text, text);
    this.bar.setAttribute("aria-valuenow", Math.round(value * 100));
    this.bar.setAttribute("aria-valuetext", text);
  }

  #at(e, where) {
    e.hidden = where === undefined;
    if (where !== undefined) e.style.left = `${(100 * Math.min(1, Math.max(0, where))).toFixed(1)}%`;
  }
}

// loud is a level in dBFS as a part of the bar, which begins at -80.
const loud = (db) => (db + 80) / 80;

class Bars {
  constructor(into) {
    this.into = into;
    this.level = new Bar(into, "Level");
    this.speech = new Bar(into, "Speech");
    this.words = new Map();
    this.note = el("p", { class: "muted small" });
    into.after(this.note);
    this.rest();
  }

  rest() {
    this.level.set(0, "–");
    this.speech.set(0, "–");
    for (const b of this.words.values()) b.set(0, "–");
    setText(this.note, "");
  }

  show(m) {
    if (app.status?.muted) return;
    this.level.set(loud(m.level_dbfs), `${Math.round(m.level_dbfs)} dB`,
      { mark: loud(m.floor_dbfs), peak: loud(m.peak_dbfs), hot: m.clipped > 0 });
    this.speech.set(m.held ? 0 : m.speech, m.held ? "held" : `${Math.round(100 * m.speech)} %`, { mark: app.threshold });
    for (const [name, score] of Object.entries(m.wake || {})) {
      if (!this.words.has(name)) this.words.set(name, new Bar(this.into, "“" + name + "”"));
      this.words.get(name).set(score, `${Math.round(100 * score)} %`);
    }
    const notes = [`noise floor ${Math.round(m.floor_dbfs)} dB`];
    if (m.echo) notes.push(m.echo.active ? `echo ${Math.round(m.echo.suppression_db)} dB down` : "speaker silent");
    if (m.gain_db !== undefined) notes.push(`gain ${Math.round(m.gain_db)} dB`);
    if (m.clipped) notes.push("overdriven");
    setText(this.note, notes.join(" · "));
  }
}
