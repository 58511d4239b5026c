// Seconds of work on an item: while its page is in sight and somebody did something in the last two minutes.

import { attempt } from "./rate_outbox.js";

const IDLE = 120;

export class WorkClock {
  constructor(name) {
    this.name = name;
    this.total = Number(attempt(() => localStorage.getItem(name))) || 0;
    this.last = document.hidden ? null : seconds();
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchstart"])
      addEventListener(kind, () => this.touch(), { passive: true, capture: true });
    document.addEventListener("visibilitychange", () => {
      this.touch();
      if (document.hidden) this.last = null;
    });
  }

  touch() {
    const now = seconds();
    if (this.last !== null) this.total += Math.min(now - this.last, IDLE);
    this.last = now;
  }

  // Seconds so far, on this device; they go on when the page is opened again.
  read() {
    if (!document.hidden) this.touch();
    attempt(() => localStorage.setItem(this.name, this.total.toFixed(1)));
    return Math.round(this.total * 10) / 10;
  }
}

const seconds = () => performance.now() / 1000;
