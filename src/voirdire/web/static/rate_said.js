// What a page says to a rater: whether the work is saved, what is wrong, and what was saved a page before.

import { attempt } from "./rate_outbox.js";

// Times of the server in the reader's own zone.
export function localTimes(root = document) {
  for (const time of root.querySelectorAll("time.moment")) time.textContent = spoken(time.dateTime);
}

function spoken(at) {
  const then = new Date(at);
  const clock = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const today = then.toDateString() === new Date().toDateString();
  return today ? clock : `${then.toLocaleDateString([], { day: "numeric", month: "short" })}, ${clock}`;
}

export class StateLine {
  constructor() {
    this.line = document.getElementById("state");
    this.near = document.getElementById("state-near");
    this.alert = document.getElementById("problem");
    this.good = document.getElementById("note");
  }

  show(news, retry) {
    const again = button("Retry", retry);
    if (news.kind === "saved") this.#put(`Saved ${spoken(news.receipt.saved_at)}`);
    else if (news.kind === "refused") this.#put(`Not saved: ${news.problem} What you wrote stays on this device.`, again);
    else if (news.kept) this.#put(`Saved on this device, waiting for the ${news.away} (${news.count})`, again);
    else this.#put(`Not saved yet, waiting for the ${news.away}: leave this page open, for this device keeps nothing.`, again);
    if (news.kind === "saved") return;
    this.line.firstChild.className = "warn";
  }

  // What is wrong, in one sentence; an empty one takes it back.
  problem(sentence) {
    this.alert.textContent = sentence;
    this.alert.hidden = !sentence;
    if (sentence) this.alert.scrollIntoView({ block: "nearest" });
  }

  // What is good to know, with something to do about it.
  note(sentence, offer = null) {
    this.good.replaceChildren(sentence, ...(offer ? [" ", button(offer.title, offer.act)] : []));
    this.good.hidden = !sentence;
  }

  #put(sentence, ...more) {
    if (this.line.textContent === sentence) return;
    const words = document.createElement("span");
    words.textContent = sentence;
    this.line.replaceChildren(words, ...more);
    if (this.near) this.near.textContent = sentence;
  }
}

// What the next page says of the answer that was just handed in.
export class SaidLater {
  constructor(owner) {
    this.name = `voirdire ${owner} said`;
  }

  say(news) {
    attempt(() => sessionStorage.setItem(this.name, JSON.stringify(news)));
  }

  show() {
    const news = attempt(() => JSON.parse(sessionStorage.getItem(this.name)));
    attempt(() => sessionStorage.removeItem(this.name));
    if (!news) return;
    const back = document.createElement("a");
    back.href = `/rate/item/${news.place}`;
    back.textContent = "Go back to change it";
    const line = document.getElementById("said");
    line.replaceChildren(`Saved ${spoken(news.at)}. ${news.note ? `${news.note} ` : ""}`, back);
    line.hidden = false;
  }
}

function button(title, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn-link";
  made.textContent = title;
  made.addEventListener("click", act);
  return made;
}
