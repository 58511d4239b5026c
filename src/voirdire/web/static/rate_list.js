// The list of a rater's items: what this device still holds is sent from here too.

import { Outbox } from "./rate_outbox.js";
import { localTimes, SaidLater, StateLine } from "./rate_said.js";

const { owner, csrf } = document.getElementById("main").dataset;
const state = new StateLine();
const outbox = new Outbox({ owner, csrf, tell: (news) => state.show(news, () => outbox.retry({ refused: true })) });

localTimes();
new SaidLater(owner).show();
for (const entry of outbox.waiting().filter((one) => one.refused))
  state.problem(`One answer could not be handed in (${entry.refused}) It stays on this device.`);
if (outbox.unsent().length) outbox.flush().then(() => outbox.unsent().length || location.reload());
