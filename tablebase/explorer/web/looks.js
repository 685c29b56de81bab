// What was chosen in this browser: the colours of the page and the board, and the pieces. This runs as
// soon as it is here, mostly before anything is painted, and holds nothing up.

for (const name of ["theme", "board", "pieces"]) {
  try {
    const chosen = JSON.parse(localStorage.getItem(name));
    if (chosen) document.documentElement.dataset[name] = chosen;
  } catch {
    // Not allowed: then they are those of the system.
  }
}
