// What the house runs and remembers: timers, lists, memory, thinkers and devices.
import { $, el, act, api, confirmed, day, written, often, replace, row, setText, span, table, words } from "./dom.js";

let app, media, loud, timers, lists, memory, thinkers, devices, search, shown = false, tick = 0;

export function start(a) {
  app = a;
  timers = el("div", { class: "scroll" });
  media = el("div", {});
  loud = el("input", { id: "media-volume", type: "range", min: 0, max: 100,
    change: (e) => run(null, "media_volume", { percent: Number(e.target.value) }) });
  lists = el("div", {});
  memory = el("div", { class: "scroll" });
  thinkers = el("div", { class: "scroll" });
  devices = el("div", { class: "scroll" });
  search = el("input", { id: "memory-search", type: "search", placeholder: "Search what is remembered" });
  $("page-house").append(el("div", { class: "columns" },
    el("div", { class: "card" }, el("h2", {}, "Timers, alarms, reminders"), timers),
    el("div", { class: "card" }, el("h2", {}, "Radio and music"), media,
      el("p", {}, el("label", { for: "media-volume" }, "Media volume, under the speaker's "), loud), stationForm()),
    el("div", { class: "card" }, el("h2", {}, "Lists"), lists, addForm())),
  el("div", { class: "card" }, el("h2", {}, "Memory"),
    el("form", { class: "ask", submit: (e) => { e.preventDefault(); act(e.submitter, loadMemory); } },
      el("label", { class: "sr", for: "memory-search" }, "Search the memory"), search, el("button", {}, "Search"),
      el("button", { type: "button", click: forgetEverything }, "Forget everything")),
    memory),
  el("div", { class: "card" }, el("h2", {}, "Devices"), devices),
  el("div", { class: "card" }, el("h2", {}, "Thinkers"), thinkers));
}

export function show() {
  shown = true;
  drawTimers();
  drawMedia();
  tick = setInterval(drawLeft, 1000);
  for (const f of [loadLists, loadMemory, loadThinkers, loadDevices]) act(null, f);
}

export function hide() {
  shown = false;
  clearInterval(tick);
  for (const e of [media, timers, lists, memory, thinkers, devices]) replace(e);
  drawn = played = "";
}

let drawn = "", played = "";

export function status(s) {
  const text = JSON.stringify(s.timers);
  if (shown && text !== drawn) drawTimers();
  if (shown && JSON.stringify(s.media) !== played) drawMedia();
}

const none = (text) => el("p", { class: "muted" }, text);
const left = (t) => t.left_s ? t.left_s : (new Date(t.ends) - Date.now()) / 1000;

function drawTimers() {
  const list = app.status?.timers || [];
  drawn = JSON.stringify(list);
  replace(timers, list.length ? table(["What", "When", "Left", ""], list.map((t) => {
    const name = t.label || t.kind;
    const r = row(el("span", {}, name, t.label ? el("span", { class: "muted" }, " " + t.kind) : ""),
      t.left_s ? "paused" : day(t.ends, written(t.ends)) + (t.repeat ? ", again " + often(t.repeat) : "") + (t.station ? `, with ${t.station}` : ""),
      el("span", { class: "left" }, span(left(t))),
      el("button", {
        "aria-label": `Cancel ${name}`, class: "cancel",
        click: (e) => act(e.target, () => api("POST", "/v1/timers/cancel", { id: t.id })),
      }, "Cancel"));
    r.timer = t;
    return r;
  }), "Timers") : none("Nothing will ring."));
}

const run = (button, name, args) => act(button, () => api("POST", "/v1/tools/run", { name, arguments: args }).then((r) => {
  if (r.outcome !== "ok") throw new Error(r.text);
}));

function drawMedia() {
  const m = app.status?.media;
  played = JSON.stringify(m);
  if (!m) return;
  const what = [m.title, m.artist, m.station, m.source].filter(Boolean).join(" · ") || "Nothing plays.";
  const press = (text, name, args) => el("button", { click: (e) => run(e.target, name, args) }, text);
  const order = (text, what) => press(text, "media_control", { do: what });
  replace(media, el("p", {}, what, el("span", { class: "muted" }, m.state === "stopped" ? "" : " " + m.state)),
    el("p", { class: "buttons" }, m.state === "playing" ? order("Pause", "pause") : press("Play", "media_play", {}),
      order("Stop", "stop"), order("Previous", "previous"), order("Next", "next")));
  if (document.activeElement !== loud) loud.value = m.percent;
}

function stationForm() {
  const station = el("input", { id: "media-station", maxlength: 80, required: true, placeholder: "Station" });
  return el("form", { class: "ask", submit: (e) => {
    e.preventDefault();
    run(e.submitter, "media_play", { name: station.value.trim() });
  } }, el("label", { class: "sr", for: "media-station" }, "Station"), station, el("button", {}, "Play station"));
}

function drawLeft() {
  for (const r of timers.querySelectorAll("tbody tr")) setText(r.querySelector(".left"), span(left(r.timer)));
}

async function loadLists() {
  const all = await api("GET", "/v1/lists");
  const names = Object.keys(all).sort();
  replace(lists, names.length ? names.map((name) => el("section", { "aria-label": name },
    el("h3", {}, name), el("ul", { class: "items" }, all[name].map((item) => el("li", {}, item, el("button", {
      class: "link", "aria-label": `Remove ${item} from ${name}`, click: (e) => change(e.target, { list: name, remove: [item] }),
    }, "remove")))))) : none("Nothing is on a list."));
}

const change = (button, what) => act(button, async () => {
  await api("POST", "/v1/lists", what);
  await loadLists();
});

function addForm() {
  const list = el("input", { id: "list-name", value: "shopping", maxlength: 100, required: true });
  const item = el("input", { id: "list-item", maxlength: 200, required: true });
  return el("form", { class: "ask", submit: (e) => {
    e.preventDefault();
    change(e.submitter, { list: list.value.trim(), add: [item.value.trim()] }).then(() => { item.value = ""; });
  } }, el("label", { class: "sr", for: "list-item" }, "Add"), item, el("label", { for: "list-name", class: "inline" }, "to"), list, el("button", {}, "Add"));
}

async function loadMemory() {
  const q = search.value.trim();
  const all = await api("GET", "/v1/memory?limit=200" + (q ? "&search=" + encodeURIComponent(q) : ""));
  replace(memory, all.length ? table(["Kind", "What", "Whose", "When", ""], all.map((m) => row(
    m.kind,
    m.kind === "fact" ? `${m.name}: ${m.text}` : m.kind === "person" ? [m.called, m.place, m.text].filter(Boolean).join(" · ") || "–" : m.text,
    m.person || "household", m.time ? day(m.time) : "",
    m.kind === "person" ? "" : el("button", { "aria-label": `Forget ${m.name || m.text}`, click: (e) => forget(e.target, m) }, "Forget"))),
  "Memory") : none(q ? "Nothing is found." : "Nothing is remembered."));
}

async function forget(button, m) {
  if (!await confirmed(`Forget “${m.name || m.text}”? It is erased from every file.`, "Forget it")) return;
  await act(button, async () => {
    await api("POST", "/v1/memory/forget", m.kind === "fact" ? { fact: { person: m.person || "", name: m.name } } : { notes: [m.id] });
    await loadMemory();
  });
}

async function forgetEverything(e) {
  if (!await confirmed("Forget every note, fact, conversation and person? Timers and lists stay.", "Forget everything")) return;
  await act(e.target, async () => {
    await api("POST", "/v1/memory/forget", { everything: true });
    await loadMemory();
  });
}

async function loadThinkers() {
  const list = await api("GET", "/v1/thinkers");
  replace(thinkers, list.length ? table(["Name", "For", "Model", "Tools", "From"], list.map((t) => row(
    el("span", {}, t.name, t.live ? "" : el("span", { class: "chip warn" }, "lacks something"), t.background ? el("span", { class: "chip" }, "background") : ""),
    t.description, t.model, t.tools.join(", ") || "–", t.origin)), "Thinkers") : none("There is no model: thinker.url is empty."));
}

async function loadDevices() {
  const { devices: list, skipped } = await api("GET", "/v1/devices");
  const seen = list.filter((d) => !d.hidden);
  replace(devices,
    seen.length ? table(["Name", "Kind", "Room", "State", "Lets people in"], seen.slice(0, 500).map((d) => row(
      d.name || d.id, words(d.kind), d.area || "–",
      d.offline ? el("span", { class: "bad" }, "offline") : state(d.state), entrance(d))), "Devices")
      : none("No device was found on the broker."),
    list.length > seen.length || seen.length > 500
      ? none(`${list.length - Math.min(seen.length, 500)} more are settings and diagnoses, or do not fit here.`) : null,
    skipped.length ? el("details", {}, el("summary", {}, `${skipped.length} documents were not understood`), skipped.slice(0, 50).map((s) => el("pre", {}, s))) : null);
}

// entrance says whether somebody is asked before a device opens, and lets the owner say so.
function entrance(d) {
  const e = d.entrance, name = d.name || d.id;
  const send = async (what) => {
    await api("POST", "/v1/devices/entrance", { id: d.id, ...what });
    await loadDevices();
  };
  const mark = (text, what, label) => el("button", {
    class: "link", "aria-label": label, click: (ev) => act(ev.target, () => send(what)),
  }, text);
  if (d.kind === "sensor" || d.kind === "binary_sensor") return "–";
  return el("span", {},
    e ? el("span", { class: e.is ? "chip warn" : "chip" }, e.is ? "asks first" : "never asks") : "",
    e?.is ? mark("it does not", { is: false }, `${name} lets nobody in`)
      : mark("it does", { is: true }, `${name} lets people in`),
    e?.marked ? [" ", mark("as it looks", { auto: true }, `Take the mark of ${name} back`)] : "",
    e ? el("span", { class: "muted small" }, " " + e.why) : "");
}

const state = (s) => Object.entries(s || {}).map(([k, v]) => (k === "state" ? "" : words(k) + " ") + (typeof v === "object" ? JSON.stringify(v) : v)).join(", ") || "–";
