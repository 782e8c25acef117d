// The one connection over which hearthd tells the page what happens. It rests while
// nobody sees the page, and comes again by itself.

import { session } from "./dom.js";

const pauses = [500, 1000, 2000, 5000, 10000];
// A tab in the background is let go after a while; it asks for everything anew later.
const hiddenFor = 30000;

export class Live {
  #listeners = new Map();
  #wants = new Map();
  #socket = null;
  #tries = 0;
  #timer = 0;
  #on = false;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      clearTimeout(this.#timer);
      if (!this.#on) return;
      this.#wish();
      if (document.hidden) this.#timer = setTimeout(() => this.#drop(), hiddenFor);
      else if (!this.#socket) this.#open();
    });
  }

  // on calls f with each message of a kind, or with each event of a type. The kinds
  // "open" and "closed" are of the connection itself.
  on(kind, f) {
    if (!this.#listeners.has(kind)) this.#listeners.set(kind, []);
    this.#listeners.get(kind).push(f);
  }

  // want says what a part of the page looks at: a list of "meter", "wave", "log".
  want(who, what) {
    this.#wants.set(who, what);
    this.#wish();
  }

  start() {
    if (this.#on) return;
    this.#on = true;
    this.#open();
  }

  stop() {
    this.#on = false;
    clearTimeout(this.#timer);
    this.#drop();
  }

  #drop() {
    const s = this.#socket;
    this.#socket = null;
    if (s) s.close();
  }

  #wish() {
    if (!this.#socket || this.#socket.readyState !== WebSocket.OPEN) return;
    const want = document.hidden ? [] : [...new Set([...this.#wants.values()].flat())];
    this.#socket.send(JSON.stringify({ want }));
  }

  #open() {
    // A browser lets a page add nothing to this request but the names of protocols.
    const s = new WebSocket(location.origin.replace(/^http/, "ws") + "/v1/live", ["hearthd", "session." + session()]);
    this.#socket = s;
    s.onmessage = (m) => {
      const { kind, data } = JSON.parse(m.data);
      if (kind === "hello") {
        this.#tries = 0;
        this.#wish();
        this.#tell("open");
        return;
      }
      this.#tell(kind, data);
      if (kind === "event") this.#tell("event:" + data.type, data);
    };
    s.onclose = () => {
      if (this.#socket !== s) return;
      this.#socket = null;
      this.#tell("closed");
      if (!this.#on || document.hidden) return;
      const pause = pauses[Math.min(this.#tries++, pauses.length - 1)];
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#open(), pause);
    };
  }

  #tell(kind, data) {
    for (const f of this.#listeners.get(kind) || []) f(data);
  }
}
