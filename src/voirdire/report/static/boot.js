// Draws every plot of the page with Vega's expression interpreter, so that no expression is ever compiled.
for (const place of document.querySelectorAll("[data-spec]")) {
  const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
  vegaEmbed(place, spec, {
    ast: true, renderer: "svg", actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true },
  }).then(() => { place.dataset.drawn = "yes"; }, (error) => { place.dataset.drawn = String(error); });
}
