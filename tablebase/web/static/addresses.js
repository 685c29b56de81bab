// Where pages and pieces lie, below any folder of a host.

/** The path of the explorer's folder, which has this one. */
export const ROOT = new URL("..", import.meta.url).pathname;

/** The address of published tables, relative to ROOT; undefined if a server answers. */
export const TABLES = document.documentElement.dataset.tables;

const isPublished = TABLES !== undefined;

/** Return the address of a position in the explorer. */
export const positionAddress = (fen) =>
  `${ROOT}${isPublished ? "index.html" : ""}?fen=${fen.replaceAll(" ", "_")}`;

/** Return the address of the page of a material. */
export const materialAddress = (name) =>
  `${ROOT}tables/${isPublished ? `material.html?material=${name}` : name}`;

/** Return the material of the address of its page; both ways to name it lead to a server. */
export function materialOfAddress() {
  const named = new URLSearchParams(location.search).get("material");
  if (isPublished || named !== null) return named ?? "";
  const text = location.pathname.split("/").at(-1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no name at all, which the server says
  }
}

/** Return the address of the picture of a man like wK. */
export const pieceAddress = (man) => `${ROOT}pieces/${man}.svg`;
/** Return the address of a disc with the letter of a man like wK. */
export const letterAddress = (man) => `${ROOT}discs/${man}.svg`;
