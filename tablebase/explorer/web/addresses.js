// Where pages, tables and pieces lie, below any folder of a host.

/** The address of the explorer's folder, which has the one of this script. */
export const ROOT = new URL("..", import.meta.url).href;

/** The address of the tables, relative to ROOT. */
export const TABLES = "tables/";

/** Return the parameters of the address. A plus sign is that of checks, as in 3+3, where `_` stands for spaces. */
export const parameters = () =>
  new URLSearchParams(location.search.includes("_") ? location.search.replaceAll("+", "%2B") : location.search);

const asked = parameters();

/** The game of this page by the name in its address, null for chess. */
export const RULES = asked.get("rules");

/** The link of this page's game if it is one of the laboratory, else null. */
export const LABORATORY = /^laboratory\?(.*)/.exec(RULES ?? "")?.[1] ?? null;

/** What addresses of this page's game begin their query with. */
export const OF_GAME = RULES === null ? "" : `rules=${encodeURIComponent(RULES)}&`;

/** Return the address of the explorer of a game. */
export const gameAddress = (name) => `${ROOT}index.html${name === null ? "" : `?rules=${encodeURIComponent(name)}`}`;

/** Return the address of a position in the explorer. */
export const positionAddress = (fen) => `${ROOT}index.html?${OF_GAME}fen=${fen.replaceAll(" ", "_")}`;

/** Return the address of the page of a material. */
export const materialAddress = (name) => `${ROOT}${TABLES}material.html?${OF_GAME}material=${name}`;

/** Return the material of the address of its page. */
export const materialOfAddress = () => asked.get("material") ?? "";

/** Return the address of the picture of a man like wK. */
export const pieceAddress = (man) => `${ROOT}pieces/${man}.svg`;
/** Return the address of a disc with the letter of a man like wK. */
export const letterAddress = (man) => `${ROOT}discs/${man}.svg`;
