// This browser as one more microphone and speaker, by WebRTC: the browser cancels the
// echo, and a channel beside the sound carries what is heard and said.
import { $, el, api, act, setText, toast } from "./dom.js";

const gatherLimit = 3000; // ms for the browser to find its own addresses
const openLimit = 8000; // ms for the two to reach each other
const unreached = "This device and the box do not reach each other.";

let app, call, ui;

export function start(a) {
  app = a;
  ui = {
    join: el("button", { id: "join", click: (e) => act(e.target, call ? hangUp : join) }, "Talk from this device"),
    hold: el("button", { id: "hold", class: "primary big" }, "Hold to talk"),
    free: el("input", { id: "hands-free", type: "checkbox", change: open }),
    state: el("p", { class: "muted", role: "status" }),
    log: el("p", { id: "call-log", class: "small", role: "log", "aria-label": "What this device heard and was told" }),
    sound: el("audio", { autoplay: true }),
  };
  ui.live = el("div", { hidden: true },
    el("div", { class: "buttons" }, ui.hold),
    el("label", { class: "row" }, ui.free, el("span", {}, "Hands-free, with the wake word")));
  holding(ui.hold);
  $("box").append(el("h2", {}, "This device"), el("div", { class: "buttons" }, ui.join), ui.live, ui.state, ui.log, ui.sound);
  if (!navigator.mediaDevices) {
    ui.join.disabled = true;
    setText(ui.state, "A browser gives its microphone to pages of https and of its own machine only; see console.cert_file.");
  }
}

// holding lets the microphone be heard while the button, or its key, is down.
function holding(button) {
  const down = (e) => {
    if (!call || (e.key && e.key !== " " && e.key !== "Enter") || e.repeat) return;
    e.preventDefault();
    call.held = true;
    open();
    call.channel.send("listen");
  };
  const up = () => {
    if (call) { call.held = false; open(); }
  };
  for (const [name, f] of [["pointerdown", down], ["keydown", down], ["pointerup", up], ["pointercancel", up],
    ["pointerleave", up], ["keyup", up], ["blur", up]]) button.addEventListener(name, f);
}

// open lets the microphone through while the button is held, or always.
function open() {
  if (call) call.microphone.enabled = call.held || ui.free.checked;
}

async function join() {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  const c = { stream, microphone: stream.getAudioTracks()[0], held: false };
  call = c;
  try {
    await connect(c).catch((e) => {
      if (e.message !== unreached || call !== c) throw e;
      c.peer.close();
      return connect(c); // once more: the first packets of a network may be lost
    });
  } catch (e) {
    hangUp();
    throw e;
  }
  open();
  setText(ui.join, "Hang up");
  setText(ui.state, app.says.idle);
  ui.live.hidden = false;
}

async function connect(c) {
  const peer = c.peer = new RTCPeerConnection();
  c.channel = peer.createDataChannel("hearthd");
  const t = peer.addTransceiver(c.microphone, { direction: "sendrecv", streams: [c.stream] });
  const wide = RTCRtpReceiver.getCapabilities("audio").codecs.filter((k) => k.mimeType.toLowerCase() === "audio/g722");
  if (!wide.length) throw new Error("This browser has no G.722, which hearthd talks.");
  t.setCodecPreferences(wide);
  peer.addEventListener("track", (e) => {
    ui.sound.srcObject = e.streams[0] || new MediaStream([e.track]);
    ui.sound.play().catch(() => {}); // with autoplay the browser tries again by itself
  });
  peer.addEventListener("connectionstatechange", () => {
    if (["failed", "closed"].includes(peer.connectionState) && call === c && c.peer === peer) { hangUp(); toast("The call has ended."); }
  });
  c.channel.addEventListener("message", (e) => told(JSON.parse(e.data)));
  await peer.setLocalDescription(await peer.createOffer());
  await gathered(peer);
  const answer = await api("POST", "/v1/talk", { sdp: peer.localDescription.sdp });
  await peer.setRemoteDescription({ type: "answer", sdp: answer.sdp });
  await opened(c.channel);
}

const gathered = (peer) => new Promise((done) => {
  if (peer.iceGatheringState === "complete") return done();
  const late = setTimeout(done, gatherLimit);
  return peer.addEventListener("icegatheringstatechange", () => {
    if (peer.iceGatheringState === "complete") { clearTimeout(late); done(); }
  });
});

// The channel may be open before the page is told that its answer was taken: threads
// of the browser's own tell of the two.
const opened = (channel) => new Promise((done, fail) => {
  if (channel.readyState === "open") return done();
  const late = setTimeout(() => fail(new Error(unreached)), openLimit);
  return channel.addEventListener("open", () => { clearTimeout(late); done(); });
});

// told is an event of this device's own conversation.
function told(e) {
  switch (e.type) {
    case "state": return setText(ui.state, app.says[e.to] || e.to);
    case "heard": return say("You", e.text);
    case "said": return say("hearthd", e.text);
    case "ignored": return say("Not for it", "that did not begin with the wake word, or was not understood");
  }
  return undefined;
}

function say(who, text) {
  if (!text) return;
  ui.log.append(el("span", {}, `${who}: ${text}`), el("br"));
  while (ui.log.childNodes.length > 12) ui.log.firstChild.remove();
}

async function hangUp() {
  const c = call;
  call = null;
  ui.live.hidden = true;
  ui.free.checked = false;
  setText(ui.join, "Talk from this device");
  setText(ui.state, "");
  if (!c) return;
  for (const t of c.stream.getTracks()) t.stop();
  c.peer?.close();
}
