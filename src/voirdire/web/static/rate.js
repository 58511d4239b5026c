// One item's page: every change is kept on the device and sent, and the whole is handed in.

import { WorkClock } from "./rate_clock.js";
import { AnswerForm } from "./rate_form.js";
import { goTo, useKeys } from "./rate_keys.js";
import { Outbox, newKey } from "./rate_outbox.js";
import { localTimes, SaidLater, StateLine } from "./rate_said.js";

const TYPING_PAUSE = 400;
const PATIENCE = 1500;
const LEAVING_PATIENCE = 4000;
const LATE = "The round has closed: what you write is kept, and counts as late.";

const told = JSON.parse(document.getElementById("told").textContent);
const element = document.getElementById("f");
const form = new AnswerForm(element, told.several);
const state = new StateLine();
const later = new SaidLater(told.owner);
const clock = new WorkClock(`voirdire ${told.owner} seconds ${told.place}`);
const outbox = new Outbox({ owner: told.owner, csrf: told.csrf, tell });
let changes = told.standing.changes;
let revision = told.standing.revision;
let handingIn = false;
let typing = 0;

function change(extra = {}) {
  return {
    answer: { ...form.read(), ...extra },
    key: newKey(),
    said_at: new Date().toISOString(),
    seen: revision,
    seconds: clock.read(),
  };
}

// Keep the form as it stands; it is sent at once, or after a pause where somebody is typing.
function keep({ soon = false } = {}) {
  if (!told.open) return;
  outbox.put({ place: told.place, what: "draft", based: changes, change: change() });
  document.getElementById("undo").disabled = !form.undoable;
  showHandedIn();
  clearTimeout(typing);
  typing = setTimeout(() => outbox.flush(), soon ? 0 : TYPING_PAUSE);
}

function showHandedIn() {
  const { handed_in: handedIn, late } = told.standing;
  const line = document.getElementById("handed-in");
  if (!revision) line.textContent = "Not handed in yet.";
  else if (handedIn && !late && same(form.read(), handedIn)) line.textContent = "This is what you handed in.";
  else line.textContent = "You changed this since you handed it in: save again to make the change count.";
}

function changed(event) {
  form.settle(event.target);
  form.show();
  if (form.noted()) keep({ soon: event.type === "change" });
  else if (event.type === "change") outbox.flush();
}

function undo() {
  if (form.undo()) keep({ soon: true });
}

async function handIn(skipped = false) {
  const answer = form.read();
  if (handingIn || !told.open) return;
  if (!skipped && !answer.labels.length) {
    state.problem("Choose a label first, or skip this item: nothing was handed in yet.");
    (form.number ?? form.labels[0])?.focus();
    return;
  }
  state.problem("");
  const act = { place: told.place, what: "answer", based: changes, change: change({ skipped }) };
  if (skipped) act.change.answer.labels = [];
  handingIn = true;
  const waiting = setTimeout(
    () => state.note("Handed in on this device: the next item opens when the server has it."),
    PATIENCE,
  );
  const receipt = await outbox.deliver(act);
  clearTimeout(waiting);
  handingIn = false;
  state.note("");
  // somebody who wrote on while the network was away stays where they are
  if (receipt && same(form.read(), answer)) goOn(receipt);
}

function goOn(receipt) {
  later.say({ place: told.place, at: receipt.saved_at, note: receipt.note });
  location.assign(receipt.next ? `/rate/item/${receipt.next}` : "/rate/");
}

// What became of an act, in the line at the top.
function tell(news) {
  state.show(news, () => outbox.retry({ refused: true }));
  if (news.kind !== "saved" || news.entry.place !== told.place) return;
  const { receipt, entry } = news;
  if (receipt.changes > changes + 1 && !recovered.has(entry.change.key)) elsewhere();
  changes = Math.max(changes, receipt.changes);
  revision = Math.max(revision, receipt.revision ?? 0);
  if (!receipt.open) state.problem(receipt.note || LATE);
}

// The same item was changed in another window or on another device.
function elsewhere(answer = null) {
  const said = answer
    ? "This item was changed in another window or on another device; both versions are kept."
    : "This item is being changed in another window or on another device too; what is saved last counts.";
  const show = () => {
    form.write(answer);
    form.noted();
    keep({ soon: true });
    state.note("");
  };
  state.note(said, answer ? { title: "Show the other version", act: show } : null);
}

async function look() {
  let reply;
  try {
    reply = await fetch(`/rate/item/${told.place}/state`, { headers: { accept: "application/json" } });
  } catch {
    return;
  }
  const news = await reply.json().catch(() => ({}));
  if (reply.status === 401) return state.show({ kind: "refused", problem: news.problem }, () => outbox.retry());
  if (!reply.ok) return;
  if (news.owner !== told.owner)
    return state.problem("Another person's link was opened in this browser: open your own link again to go on.");
  if (news.changes > changes && !outbox.unsent().length) {
    changes = news.changes;
    revision = news.revision;
    if (!same(form.read(), news.answer)) elsewhere(news.answer);
  }
  if (told.open && !news.open) state.problem(LATE);
}

// Two tabs of one browser tell each other which item they are on.
function watchTabs() {
  if (!window.BroadcastChannel) return;
  const channel = new BroadcastChannel(`voirdire ${told.owner}`);
  const say = (kind) => channel.postMessage({ kind, tab: outbox.tab, place: told.place });
  channel.addEventListener("message", ({ data }) => {
    if (data.place !== told.place || data.tab === outbox.tab) return;
    if (data.kind === "gone") return state.note("");
    state.note("This item is open in another tab too; what is saved last counts, and both are kept.");
    if (data.kind === "here") say("too");
  });
  say("here");
  addEventListener("pagehide", () => say("gone"));
}

// Whether two answers say the same; a skip is no part of what stands in the form.
function same(one, other) {
  const said = ({ labels, confidence, challenge, cites, comment }) =>
    JSON.stringify([labels, confidence, challenge, cites, comment]);
  return said(one) === said(other);
}

// Work that this device holds and the server may not: it is shown, sent first and wins.
const recovered = new Set();
function recover() {
  const mine = outbox.waiting().filter((entry) => entry.place === told.place);
  for (const entry of mine) recovered.add(entry.change.key);
  const last = mine.at(-1);
  if (last) {
    const other = told.standing.answer;
    form.write(last.change.answer);
    form.noted();
    if (told.standing.changes > last.based && !same(other, last.change.answer)) elsewhere(other);
  }
  if (outbox.unsent().length) outbox.flush();
}

function start() {
  localTimes();
  later.show();
  form.show();
  recover();
  watchTabs();
  for (const kind of ["input", "change"]) document.addEventListener(kind, (event) => {
    if (event.target.form === element) changed(event);
  });
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    handIn();
  });
  element.elements.comment.addEventListener("blur", () => outbox.flush());
  document.getElementById("skip")?.addEventListener("click", () => handIn(true));
  document.getElementById("undo")?.addEventListener("click", undo);
  document.getElementById("goto")?.addEventListener("submit", (event) => {
    event.preventDefault();
    goTo(document.getElementById(`t${document.getElementById("goto-turn").value}`));
  });
  document.getElementById("pause").addEventListener("submit", async (event) => {
    event.preventDefault();
    await Promise.race([outbox.flush(), new Promise((wake) => setTimeout(wake, LEAVING_PATIENCE))]);
    event.target.submit();
  });
  // until here nothing would have kept an answer
  for (const name of ["save", "skip"]) document.getElementById(name)?.removeAttribute("disabled");
  useKeys({ button: document.getElementById("keys"), form: element, undo, handIn });
  addEventListener("pagehide", () => {
    clock.read();
    outbox.flush();
  });
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  document.addEventListener("visibilitychange", () => (document.hidden ? outbox.flush() : look()));
}

start();
