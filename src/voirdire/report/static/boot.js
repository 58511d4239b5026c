// Draws every plot of the page with Vega's expression interpreter, so that no expression is ever compiled.
// A plot inside a fold is drawn when that opens, for before it has no width. Once a plot stands, the table of
// its numbers folds; where none is drawn, the table stays open.
(() => {
  "use strict";
  function draw(place) {
    if (place.dataset.drawn) return;
    place.dataset.drawn = "soon";
    const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
    vegaEmbed(place, spec, {
      ast: true, renderer: "svg", actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true },
    }).then(() => {
      place.querySelector("svg").setAttribute("aria-hidden", "true");
      const numbers = place.closest("figure").nextElementSibling;
      if (numbers && numbers.matches("details.numbers")) numbers.open = false;
      place.dataset.drawn = "yes";
    }, (error) => { place.dataset.drawn = String(error); });
  }
  for (const place of document.querySelectorAll("[data-spec]")) {
    const fold = place.closest("details");
    if (!fold || fold.open) draw(place);
    else fold.addEventListener("toggle", () => { if (fold.open) draw(place); });
  }
})();
