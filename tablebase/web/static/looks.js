// The colours that were chosen in this browser, of the page and the board. This runs as soon as it is
// here, mostly before anything is painted, and holds nothing up.

for (const name of ["theme", "board"]) {
  try {
    const chosen = JSON.parse(localStorage.getItem(name));
    if (chosen) document.documentElement.dataset[name] = chosen;
  } catch {
    // Not allowed: then they are those of the system.
  }
}
