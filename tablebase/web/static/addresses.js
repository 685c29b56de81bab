// Where pages, tables and pieces lie, below any folder of a host.

/** The address of the explorer's folder, which has the one of this script. */
export const ROOT = new URL("..", import.meta.url).href;

/** The address of the tables, relative to ROOT. */
export const TABLES = "tables/";

/** Return the address of a position in the explorer. */
export const positionAddress = (fen) => `${ROOT}index.html?fen=${fen.replaceAll(" ", "_")}`;

/** Return the address of the page of a material. */
export const materialAddress = (name) => `${ROOT}${TABLES}material.html?material=${name}`;

/** Return the material of the address of its page. */
export const materialOfAddress = () => new URLSearchParams(location.search).get("material") ?? "";

/** Return the address of the picture of a man like wK. */
export const pieceAddress = (man) => `${ROOT}pieces/${man}.svg`;
/** Return the address of a disc with the letter of a man like wK. */
export const letterAddress = (man) => `${ROOT}discs/${man}.svg`;
