// The list of a rater's items: what this device still holds is sent from here too.

import { Outbox } from "./rate_outbox.js";
import { localTimes, SaidLater, StateLine } from "./rate_said.js";

const { owner, csrf } = document.getElementById("main").dataset;
const state = new StateLine();
const outbox = new Outbox({ owner, csrf, tell: (news) => state.show(news, () => outbox.retry()) });

localTimes();
new SaidLater(owner).show();
if (outbox.unsent().length) outbox.flush().then(() => outbox.unsent().length || location.reload());
