// Keys only help: the form works without them, and single keys can be switched off.

import { attempt } from "./rate_outbox.js";

const SETTING = "voirdire keys";

export function useKeys({ button, form, undo, handIn }) {
  const on = () => button.getAttribute("aria-pressed") === "true";
  const set = (value) => {
    button.setAttribute("aria-pressed", String(value));
    button.textContent = `Keys: ${value ? "on" : "off"}`;
  };
  set(attempt(() => localStorage.getItem(SETTING)) !== "off");
  button.hidden = false;
  button.addEventListener("click", () => {
    set(!on());
    attempt(() => localStorage.setItem(SETTING, on() ? "on" : "off"));
  });

  addEventListener("hashchange", () => goTo(document.querySelector(".turn:target")));
  goTo(here);

  addEventListener("keydown", (event) => {
    const writing = event.target.matches("textarea, input[type=text], input[type=number]");
    const key = event.key.toUpperCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      if (key === "ENTER" && writing) act(event, handIn);
      else if (key === "Z" && !event.shiftKey && !writing) act(event, undo);
      return;
    }
    if (event.altKey || event.repeat) return;
    if (key === "ESCAPE" && writing) return event.target.blur();
    if (!on() || writing) return;
    if (key === "ENTER") {
      if (!event.target.matches("button, a, summary")) act(event, handIn);
      return;
    }
    if (key === "J" || key === "K") return act(event, () => move(key === "J" ? 1 : -1));
    if (key === "R") return act(event, () => current()?.querySelector("[name=cite]:enabled")?.click());
    const box = form.querySelector(`input[aria-keyshortcuts="${CSS.escape(key)}"]:enabled`);
    if (box) act(event, () => (box.click(), box.focus()));
    // a scale of many numbers has a field: the first digit begins it
    else if (/^\d$/.test(key)) form.querySelector("#number:enabled")?.focus();
  });
}

function act(event, what) {
  event.preventDefault();
  what();
}

const turns = () => [...document.querySelectorAll(".turn")];

let here = document.querySelector(".turn:target");

// The turn that keys speak of: the one with the focus, or the one last gone to.
function current() {
  return document.activeElement?.closest(".turn") ?? here;
}

function move(step) {
  const every = turns();
  const at = every.indexOf(current());
  goTo(every[at < 0 ? 0 : Math.max(0, Math.min(every.length - 1, at + step))]);
}

export function goTo(turn) {
  if (!turn) return;
  here?.classList.remove("here");
  here = turn;
  here.classList.add("here");
  history.replaceState(null, "", `#${turn.id}`);
  turn.focus({ preventScroll: true });
  turn.scrollIntoView({ block: "start" });
}
