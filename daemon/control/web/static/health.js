// What is wrong and what to do, what happens, the log, and the configuration.
import { $, el, act, api, clock, day, replace, setText, table, row, words } from "./dom.js";

// What a page that is open for days keeps.
const maxEvents = 300, maxLines = 500;

// remedies are what a person can do, as README has it.
const remedies = {
  microphone: "Look which devices there are (arecord -L) and set audio.capture.",
  speaker: "Look which devices there are (aplay -L) and set audio.playback.",
  recogniser: "Install pocketsphinx and pocketsphinx-en-us, or mend the server's address.",
  voice: "Install flite, or mend the server's address.",
  wake: "hearthctl wake list, hearthd check-config.",
  detector: "hearthd check-config names what is missing.",
  wake_server: "Check its address in wake.words; it is tried again.",
  thinker: "ollama pull the model, or set thinker.url to \"\" for none.",
  thinkers: "Mend the file that the log names, then hearthctl reload.",
  broker: "Check mqtt.broker, its user, password and certificates; it is tried again, with another password after a restart.",
  broker_access: "The broker's access list; packaging/mqtt.md has what a box needs.",
  memory: "Look at the disk (df -h /var/lib/hearthd), then restart.",
  disk: "Make room on the disk; it ends with the next turn.",
  tools: "hearthd check-config names the mistake; then hearthctl reload.",
  intents: "Mend the file that it names, then hearthctl reload.",
  knowledge: "Mend or remove the document that it names.",
  devices: "Mend the announcement of the device that it names.",
  homeassistant: "Check tools.home.url and the token.",
  clock: "Connect the network, or set the clock (timedatectl).",
  microphone_silent: "Unmute it in alsamixer, and try hearthctl mic test.",
  microphone_clipping: "Lower its gain in alsamixer.",
  microphone_late: "Take fewer wake words, audio.aec: off, or leave the processor more room.",
  responder: "Check responder.url and responder.key; the thinker answers meanwhile.",
  budget: "hearthctl cost; raise responder.daily or wait.",
  secrets: "Check the path and the rights of the file.",
  console: "Check console.*, then restart.",
  configuration: "hearthd check-config; what held before still does.",
  restart: "Some keys wait for a restart: systemctl restart hearthd.",
};

let app, conditions, events, log, config, turn, only, pause, changed, shown = false;

export function start(a) {
  app = a;
  conditions = el("div", {});
  events = el("ol", { class: "stream", tabindex: 0, "aria-label": "Events" });
  log = el("ol", { class: "stream", tabindex: 0, "aria-label": "Log" });
  config = el("div", { class: "scroll config" });
  turn = el("input", { id: "log-turn", type: "number", min: 1, placeholder: "all" });
  only = el("input", { id: "event-filter", type: "search", placeholder: "turn, timer…" });
  pause = el("input", { id: "event-pause", type: "checkbox" });
  changed = el("input", { id: "config-changed", type: "checkbox", change: () => act(null, loadConfig) });
  $("page-health").append(
    el("div", { class: "card" }, el("h2", {}, "Conditions"), conditions),
    el("div", { class: "columns" },
      el("div", { class: "card" }, el("h2", {}, "Events"),
        el("div", { class: "bar-row" }, el("label", { for: "event-filter" }, "Only"), only, el("label", {}, pause, " Pause")), events),
      el("div", { class: "card" }, el("h2", {}, "Log"),
        el("form", { class: "bar-row", submit: (e) => { e.preventDefault(); act(e.submitter, loadLog); } },
          el("label", { for: "log-turn" }, "Turn"), turn, el("button", {}, "Show")), log)),
    el("div", { class: "card" }, el("h2", {}, "Configuration"),
      el("div", { class: "bar-row" }, el("label", {}, changed, " Only what was changed")), config),
    el("p", { class: "note-row" }, "This browser stays in for 30 days. ",
      el("button", { id: "logout", click: (e) => act(e.target, app.logout) }, "Log out")));
  app.live.on("event", (e) => { if (shown) happened(e); });
  app.live.on("missed", (n) => { if (shown) add(events, el("li", { class: "bad" }, `${n} events were missed`), maxEvents); });
  app.live.on("log", (l) => { if (shown && (!turn.value || Number(turn.value) === l.turn)) line(l); });
}

export function show() {
  shown = true;
  app.live.want("health", ["log"]);
  for (const f of [loadLog, loadConfig]) act(null, f);
  status(app.status);
}

export function hide() {
  shown = false;
  app.live.want("health", []);
  for (const e of [events, log, config]) replace(e);
}

let drawn = "";

export function status(s) {
  if (!s) return;
  const badge = $("troubles");
  badge.hidden = s.conditions.length === 0;
  setText(badge, String(s.conditions.length));
  badge.setAttribute("aria-label", `${s.conditions.length} conditions`);
  const text = JSON.stringify(s.conditions);
  if (text === drawn) return;
  drawn = text;
  replace(conditions, s.conditions.length ? s.conditions.map((c) => el("article", { class: "condition " + c.severity },
    el("h3", {}, words(c.code), " ", el("span", { class: "chip" }, c.severity)),
    el("p", {}, c.text),
    el("p", { class: "muted small" }, `Since ${day(c.since)}. `, remedies[c.code] || (c.code.startsWith("mcp_") ? "Check the address and the credential of that server; it is tried again." : "See the log."))))
    : el("p", { class: "good" }, "Nothing is wrong."));
}

function add(list, li, most) {
  const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  list.append(li);
  while (list.children.length > most) list.firstChild.remove();
  if (bottom) list.scrollTop = list.scrollHeight;
}

function happened(e) {
  if (pause.checked) return;
  const { type, seq, time, session, ...rest } = e;
  const text = JSON.stringify(rest);
  const q = only.value.trim().toLowerCase();
  if (q && !(type + " " + text).toLowerCase().includes(q)) return;
  add(events, el("li", {}, el("time", {}, clock(time)), " ", el("b", {}, words(type)), " ", text === "{}" ? "" : text), maxEvents);
}

let newest = 0;

function line(l) {
  if (l.seq <= newest) return;
  newest = l.seq;
  add(log, el("li", { class: l.level }, el("time", {}, clock(l.time)), " ", el("b", {}, l.component || ""), " ", l.message, " ",
    el("span", { class: "muted" }, l.turn ? `turn=${l.turn} ${l.text || ""}` : l.text || "")), maxLines);
}

async function loadLog() {
  const lines = await api("GET", "/v1/log" + (turn.value ? "?turn=" + Number(turn.value) : ""));
  replace(log);
  newest = 0;
  lines.forEach(line);
  log.scrollTop = log.scrollHeight;
}

async function loadConfig() {
  const c = await api("GET", "/v1/config");
  const disk = Object.fromEntries(c.disk.map((s) => [s.key, s.value]));
  const rows = c.running.filter((s) => !changed.checked || s.value !== s.default).map((s) => row(
    el("code", {}, s.key), el("code", {}, s.value), s.value === s.default ? "" : el("code", { class: "muted" }, s.default),
    el("span", {}, s.origin, c.restart.includes(s.key) ? el("span", { class: "chip warn" }, `after a restart: ${disk[s.key]}`) : "",
      c.live.includes(s.key) ? el("span", { class: "chip" }, `after a reload: ${disk[s.key]}`) : "")));
  replace(config, c.problems.map((p) => el("p", { class: "bad" }, p)),
    rows.length ? table(["Key", "Value", "Default", "From"], rows, "Configuration") : el("p", { class: "muted" }, "Everything is at its default."));
}
