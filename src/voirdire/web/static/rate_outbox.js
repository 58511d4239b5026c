// What a rater did and the server may not know yet: kept on this device first, sent in order, each act once.
// Every act is an entry of its own in the device's storage, so that two tabs never overwrite each other's.

const LONGEST_PAUSE = 30_000;
const PATIENCE = 20_000;
const KEEPALIVE_LIMIT = 60_000;
const FOREIGN = "another person's link was opened in this browser; open your own link again to go on.";

export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Outbox {
  #inFlight = "";
  #running = null;
  #failures = 0;
  #timer = 0;
  #newest = 0;
  #memory = new Map();
  #awaited = new Map();

  // `tell(news)` hears what became of the work: saved, waiting or refused, with what is known of it.
  constructor({ owner, csrf, tell }) {
    this.prefix = `voirdire ${owner} act `;
    this.tab = newKey();
    this.owner = owner;
    this.csrf = csrf;
    this.tell = tell;
    addEventListener("online", () => this.unsent().length && this.retry());
    addEventListener("storage", (event) => this.#sentElsewhere(event));
  }

  // Keep an act: { place, what, change }. It takes the place of this tab's drafts of the item that were not sent.
  put(act) {
    const waiting = this.waiting();
    const number = Math.max(waiting.at(-1)?.number ?? 0, this.#newest) + 1;
    const entry = { ...act, number, tab: this.tab };
    this.#newest = number;
    for (const old of waiting) {
      const superseded = old.refused || (old.what === "draft" && old.tab === this.tab);
      if (superseded && old.place === act.place && old.change.key !== this.#inFlight) this.#drop(old);
    }
    this.#keep(entry);
    return entry;
  }

  // Keep an act, and wait for the server's receipt of it; null where it was refused.
  deliver(act) {
    const entry = this.put(act);
    const receipt = new Promise((resolve) => this.#awaited.set(entry.change.key, { entry, resolve }));
    this.retry();
    return receipt;
  }

  // Everything that is not acknowledged yet, in order.
  waiting() {
    const found = new Map(this.#memory);
    for (const name of attempt(() => Object.keys(localStorage)) ?? []) {
      const entry = name.startsWith(this.prefix) && attempt(() => JSON.parse(localStorage.getItem(name)));
      if (entry) found.set(entry.change.key, entry);
    }
    const before = (a, b) => a.number - b.number || (a.change.key < b.change.key ? -1 : 1);
    return [...found.values()].sort(before);
  }

  // What is still to be sent.
  unsent() {
    return this.waiting().filter((entry) => !entry.refused);
  }

  // Send what waits, one after the other; one run at a time.
  flush() {
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  // Send at once, whatever failed before and also what was refused.
  retry({ refused = false } = {}) {
    this.#failures = 0;
    if (refused) for (const { refused: _, ...entry } of this.waiting()) this.#keep(entry);
    return this.flush();
  }

  async #run() {
    clearTimeout(this.#timer);
    for (let entry; ([entry] = this.unsent()), entry; ) {
      this.#inFlight = entry.change.key;
      const outcome = await this.#send(entry);
      this.#inFlight = "";
      if (outcome.receipt) {
        this.#failures = 0;
        this.#drop(entry);
        this.tell({ kind: "saved", entry, receipt: outcome.receipt });
        this.#settle(entry, outcome.receipt);
      } else if (outcome.never) {
        this.#keep({ ...entry, refused: outcome.problem });
        this.tell({ kind: "refused", problem: outcome.problem });
        this.#settle(entry, null);
      } else {
        if (outcome.problem) this.tell({ kind: "refused", problem: outcome.problem });
        else this.tell({ kind: "waiting", count: this.unsent().length, ...outcome, kept: !this.#memory.size });
        return this.#later();
      }
    }
  }

  #later() {
    const pause = Math.min(LONGEST_PAUSE, 1000 * 2 ** this.#failures) * (0.8 + 0.4 * Math.random());
    this.#failures += 1;
    this.#timer = setTimeout(() => this.flush(), pause);
  }

  #settle(entry, receipt) {
    this.#awaited.get(entry.change.key)?.resolve(receipt);
    this.#awaited.delete(entry.change.key);
  }

  // Another tab has sent what this one waits for: sent again it counts once, and this tab gets the receipt.
  #sentElsewhere(event) {
    const awaited = this.#awaited.get(event.key?.slice(this.prefix.length));
    if (!awaited || event.newValue !== null || awaited.entry.change.key === this.#inFlight) return;
    this.#memory.set(awaited.entry.change.key, awaited.entry);
    this.flush();
  }

  async #send(entry, again = true) {
    const body = JSON.stringify(entry.change);
    let reply;
    try {
      reply = await fetch(`/rate/item/${entry.place}/${entry.what}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": this.csrf },
        body,
        keepalive: body.length < KEEPALIVE_LIMIT,
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (reply.ok) return { receipt: await reply.json() };
    } catch {
      return { away: "network" };
    }
    if (reply.status >= 500 || reply.status === 429 || reply.status === 408) return { away: "server" };
    const { problem } = await reply.json().catch(() => ({ problem: "the server refused it." }));
    if (reply.status === 403 && again) {
      const told = await this.#whoIsHere(entry.place);
      if (told && told.owner !== this.owner) return { problem: FOREIGN };
      if (told) return (this.csrf = told.csrf), this.#send(entry, false);
    }
    return { problem, never: reply.status !== 401 && reply.status !== 403 };
  }

  // Whose session this browser holds now, with a proof for it; null where it cannot be known.
  async #whoIsHere(place) {
    try {
      const reply = await fetch(`/rate/item/${place}/state`, { headers: { accept: "application/json" } });
      if (reply.ok) return await reply.json();
      // the other person has no such place
      return reply.status === 404 ? { owner: "" } : null;
    } catch {
      return null;
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
    attempt(() => localStorage.removeItem(this.prefix + entry.change.key));
  }
}

// What `act` gives, or null where the browser does not let it.
export function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}
