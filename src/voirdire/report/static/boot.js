// Draws every plot of the page with Vega's expression interpreter, so that no expression is ever compiled.
// Once a plot stands, the table of its numbers folds; where none is drawn, the table stays open.
for (const place of document.querySelectorAll("[data-spec]")) {
  const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
  vegaEmbed(place, spec, {
    ast: true, renderer: "svg", actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true },
  }).then(() => {
    const numbers = place.closest("figure").nextElementSibling;
    if (numbers && numbers.matches("details.numbers")) numbers.open = false;
    place.dataset.drawn = "yes";
  }, (error) => { place.dataset.drawn = String(error); });
}
