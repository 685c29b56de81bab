// Before anything is drawn: the colours that were chosen in this browser, of the page and the board.

for (const name of ["theme", "board"]) {
  try {
    const chosen = JSON.parse(localStorage.getItem(name));
    if (chosen) document.documentElement.dataset[name] = chosen;
  } catch {
    // Not allowed: then they are those of the system.
  }
}
