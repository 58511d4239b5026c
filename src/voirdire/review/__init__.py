"""Expert review: rounds, people, assignments, answers and rulings; the pages are in :mod:`voirdire.web`."""
