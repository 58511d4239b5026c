// A ruling's page: keys, times in the reader's zone, and what was typed kept on this device until it is saved.

import { useKeys } from "./rate_keys.js";
import { attempt } from "./rate_outbox.js";
import { localTimes } from "./rate_said.js";

const form = document.getElementById("f");
const { name, seen } = form.dataset;

function keep() {
  const { choice, number, reason } = Object.fromEntries(new FormData(form));
  attempt(() => localStorage.setItem(name, JSON.stringify({ seen, choice, number, reason })));
}

// What was typed before a ruling was saved counts no longer.
function restore() {
  const kept = JSON.parse(attempt(() => localStorage.getItem(name)) ?? "null");
  if (!kept) return;
  if (kept.seen !== seen) return attempt(() => localStorage.removeItem(name));
  if (document.querySelector("[role=alert]")) return;
  for (const box of form.querySelectorAll("[name=choice]")) box.checked = box.value === kept.choice;
  if (form.elements.number && kept.number) form.elements.number.value = kept.number;
  form.elements.reason.value = kept.reason ?? "";
}

form.addEventListener("input", keep);
form.elements.number?.addEventListener("change", () => {
  form.querySelector("[value=number]").checked = true;
  keep();
});
restore();
localTimes();
useKeys({ button: document.getElementById("keys"), form, undo() {}, handIn: () => form.requestSubmit() });
