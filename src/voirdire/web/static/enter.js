// Turns the token behind the address's # into a session; the token leaves the address before anything else.
const said = document.getElementById("said");
const form = document.getElementById("by-hand");
const field = document.getElementById("token");

async function enter(token) {
  let reply, told;
  try {
    reply = await fetch("/enter", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    told = await reply.json();
  } catch {
    ask("The server cannot be reached: check your network and try again in a minute.");
    return;
  }
  if (reply.ok) location.replace(told.next);
  else ask(told.problem);
}

function ask(sentence) {
  said.textContent = sentence;
  form.hidden = false;
  field.focus();
}

function open() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", "/enter");
  if (token) {
    field.value = token;
    enter(token);
  } else ask("Paste the link that you were sent.");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  enter(field.value.trim().split("#").pop());
});
addEventListener("hashchange", open);
open();
