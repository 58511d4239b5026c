// What a rater did and the server may not know yet: kept on this device first, sent in order, each act once.
// Every act is an entry of its own in the device's storage, so that two tabs never overwrite each other's.

const LONGEST_WAIT = 30_000;
const PATIENCE = 20_000;
const KEEPALIVE_LIMIT = 60_000;

export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Outbox {
  #inFlight = "";
  #running = null;
  #failures = 0;
  #timer = 0;
  #memory = new Map();
  #receipts = new Map();

  // `tell(state)` hears what became of the work: saved, waiting or refused, with what is known of it.
  constructor({ owner, csrf, tell }) {
    this.prefix = `voirdire ${owner} act `;
    this.owner = owner;
    this.csrf = csrf;
    this.tell = tell;
    addEventListener("online", () => this.retry());
  }

  // Keep an act; it takes the place of drafts of the same item that were not sent yet, and of what was refused.
  put(act) {
    const waiting = this.waiting();
    const last = waiting.at(-1)?.number ?? 0;
    const entry = { ...act, number: Math.max(last + 1, this.newest ?? 0) };
    this.newest = entry.number + 1;
    for (const old of waiting)
      if (old.place === act.place && (old.what === "draft" || old.refused) && old.change.key !== this.#inFlight)
        this.#drop(old);
    this.#keep(entry);
    return entry.change.key;
  }

  // Everything that is not acknowledged yet, in order.
  waiting() {
    const found = [...this.#memory.values()];
    for (let k = 0; k < storage.length; k++) {
      const name = storage.key(k);
      if (name?.startsWith(this.prefix)) found.push(parsed(storage.getItem(name)));
    }
    return found.filter(Boolean).sort((a, b) => a.number - b.number || (a.change.key < b.change.key ? -1 : 1));
  }

  // What is still to be sent.
  unsent() {
    return this.waiting().filter((entry) => !entry.refused);
  }

  // Send what waits, one after the other; one run at a time.
  flush({ leaving = false } = {}) {
    this.#running ??= this.#run(leaving).finally(() => (this.#running = null));
    return this.#running;
  }

  // Send at once, whatever failed before.
  retry() {
    clearTimeout(this.#timer);
    this.#failures = 0;
    return this.flush();
  }

  // The server's receipt of one act, when it comes; null where the act was refused.
  async delivered(key) {
    for (;;) {
      await this.flush();
      if (this.#receipts.has(key)) return this.#receipts.get(key);
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }

  async #run(leaving) {
    clearTimeout(this.#timer);
    for (let entry; ([entry] = this.unsent()), entry; ) {
      this.#inFlight = entry.change.key;
      const outcome = await this.#send(entry, leaving);
      this.#inFlight = "";
      if (outcome.receipt) {
        this.#failures = 0;
        this.#receipts.set(entry.change.key, outcome.receipt);
        this.#drop(entry);
        this.tell({ kind: "saved", entry, receipt: outcome.receipt });
      } else if (outcome.never) {
        this.#receipts.set(entry.change.key, null);
        this.#keep({ ...entry, refused: outcome.problem });
        this.tell({ kind: "refused", problem: outcome.problem });
      } else {
        if (outcome.problem) this.tell({ kind: "refused", problem: outcome.problem });
        else this.tell({ kind: "waiting", count: this.unsent().length, kept: this.#memory.size === 0 });
        this.#later();
        return;
      }
    }
  }

  #later() {
    const pause = Math.min(LONGEST_WAIT, 1000 * 2 ** this.#failures) * (0.8 + 0.4 * Math.random());
    this.#failures += 1;
    this.#timer = setTimeout(() => this.flush(), pause);
  }

  async #send(entry, leaving, again = true) {
    const body = JSON.stringify(entry.change);
    let reply;
    try {
      reply = await fetch(`/rate/item/${entry.place}/${entry.what}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": this.csrf },
        body,
        keepalive: leaving && body.length < KEEPALIVE_LIMIT,
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (reply.ok) return { receipt: await reply.json() };
    } catch {
      return {};
    }
    if (reply.status >= 500 || reply.status === 429 || reply.status === 408) return {};
    const { problem } = await reply.json().catch(() => ({ problem: "The server refused it." }));
    if (reply.status === 403 && again && (await this.#renewed(entry.place))) return this.#send(entry, leaving, false);
    return { problem, never: reply.status !== 401 && reply.status !== 403 };
  }

  // A new proof for this page, where the same rater's link was opened again in this browser.
  async #renewed(place) {
    try {
      const reply = await fetch(`/rate/item/${place}/state`, { headers: { accept: "application/json" } });
      const told = await reply.json();
      if (!reply.ok || told.owner !== this.owner) return false;
      this.csrf = told.csrf;
      return true;
    } catch {
      return false;
    }
  }

  #keep(entry) {
    try {
      localStorage.setItem(this.prefix + entry.change.key, JSON.stringify(entry));
      this.#memory.delete(entry.change.key);
    } catch {
      this.#memory.set(entry.change.key, entry);
    }
  }

  #drop(entry) {
    this.#memory.delete(entry.change.key);
    try {
      localStorage.removeItem(this.prefix + entry.change.key);
    } catch {
      // a device without storage kept nothing
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// The device's storage, empty where the browser has none.
const storage = {
  get length() {
    return attempt(() => localStorage.length) ?? 0;
  },
  key: (k) => attempt(() => localStorage.key(k)),
  getItem: (name) => attempt(() => localStorage.getItem(name)),
};

export function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}
