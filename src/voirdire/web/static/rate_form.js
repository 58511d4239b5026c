// The form of one item as an answer: read from it, written to it, and taken back state by state.

export class AnswerForm {
  #history = [];
  #now = "";

  constructor(form, several) {
    this.form = form;
    this.several = several;
    this.number = form.querySelector("#number");
    this.numbers = [...form.querySelectorAll("#numbers option")].map((option) => option.value);
    this.#now = JSON.stringify(this.read());
  }

  get labels() {
    return [...this.form.querySelectorAll("[name=label]")];
  }

  get cites() {
    return [...document.querySelectorAll("[name=cite]")];
  }

  read() {
    const chosen = this.labels.filter((box) => box.checked).map((box) => box.value);
    const typed = this.typedLabel();
    const confidence = this.form.querySelector("[name=confidence]:checked");
    return {
      labels: typed ? [typed] : chosen,
      skipped: false,
      confidence: confidence ? Number(confidence.value) : null,
      challenge: this.form.querySelector("[name=challenge]:checked")?.value ?? "",
      cites: this.cites.filter((box) => box.checked).map((box) => Number(box.value)),
      comment: this.form.elements.comment.value,
    };
  }

  write(answer) {
    for (const box of this.labels) box.checked = answer.labels.includes(box.value);
    if (this.number) this.number.value = answer.labels.find((label) => this.numbers.includes(label)) ?? "";
    for (const box of this.form.querySelectorAll("[name=confidence]"))
      box.checked = Number(box.value) === answer.confidence;
    for (const box of this.form.querySelectorAll("[name=challenge]")) box.checked = box.value === answer.challenge;
    for (const box of this.cites) box.checked = answer.cites.includes(Number(box.value));
    this.form.elements.comment.value = answer.comment;
    this.show();
  }

  // The label of the scale that the typed number is, empty where it is none.
  typedLabel() {
    const text = this.number?.value.trim().replace(",", ".").replace("−", "-");
    return text ? (this.numbers.find((label) => Number(label) === Number(text)) ?? "") : "";
  }

  // Keep labels that exclude each other apart: a set holds verdicts, anything else stands alone.
  settle(changed) {
    if (changed === this.number && this.number.value) for (const box of this.labels) box.checked = false;
    if (changed.name !== "label" || !changed.checked) return;
    if (this.number) this.number.value = "";
    if (!this.several) return;
    const alone = changed.dataset.kind !== "verdict";
    for (const box of this.labels)
      if (box !== changed && (alone || box.dataset.kind !== "verdict")) box.checked = false;
  }

  // Note the state that the form is in now; false where nothing changed.
  noted() {
    const state = JSON.stringify(this.read());
    if (state === this.#now) return false;
    this.#history.push(this.#now);
    this.#now = state;
    return true;
  }

  get undoable() {
    return this.#history.length > 0;
  }

  // Go back to the state before this one.
  undo() {
    const before = this.#history.pop();
    if (before === undefined) return false;
    this.#now = before;
    this.write(JSON.parse(before));
    return true;
  }

  // Show what follows from the form: the turns relied on, and a number that the scale does not have.
  show() {
    const cites = this.cites.filter((box) => box.checked);
    const line = this.form.querySelector("#relied");
    line.hidden = cites.length === 0;
    const links = cites.flatMap((box, k) => {
      const link = document.createElement("a");
      link.href = `#t${box.value}`;
      link.textContent = box.closest("article").dataset.name;
      return k ? [", ", link] : [link];
    });
    line.querySelector("span").replaceChildren(...links);
    const said = this.form.querySelector("#number-said");
    if (said) {
      const wrong = this.number.value.trim() && !this.typedLabel();
      const near = this.numbers.slice(0, 12).join(", ") + (this.numbers.length > 12 ? ", …" : "");
      said.textContent = wrong ? `The scale has no such number; it has ${near}.` : "";
    }
  }
}
