// The organiser's pages: times in the reader's own zone, links to copy, and what is said when a refresh fails.
const SHOWN = {
  time: { hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" },
  moment: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
};

function localise(within) {
  for (const each of within.querySelectorAll("time[datetime][data-as]")) {
    const when = new Date(each.dateTime);
    if (!Number.isNaN(when.valueOf())) each.textContent = when.toLocaleString([], { ...SHOWN[each.dataset.as], hourCycle: "h23" });
  }
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copies);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => (button.textContent = "Copy"), 4000);
}

function offsets(form) {
  // a closing time is typed in the organiser's own zone, at the offset that zone has on that day
  const field = form.querySelector("input[name=closes]");
  const zone = form.querySelector("input[name=offset]");
  if (!field || !zone) return;
  const when = field.value ? new Date(field.value) : new Date();
  zone.value = String(-when.getTimezoneOffset());
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copies]");
  if (button) copy(button);
});
document.addEventListener("submit", (event) => offsets(event.target));
document.addEventListener("htmx:after:swap", () => localise(document));
for (const failed of ["htmx:error", "htmx:response:error"]) {
  document.addEventListener(failed, () => {
    const place = document.getElementById("updated");
    if (place && !place.querySelector(".cf")) {
      const note = document.createElement("span");
      note.className = "cf";
      note.textContent = "Not updated: the server did not answer. The figures below are the last ones.";
      place.prepend(note);
    }
  });
}
for (const each of document.querySelectorAll("[data-needs-script]")) each.hidden = false;
localise(document);
