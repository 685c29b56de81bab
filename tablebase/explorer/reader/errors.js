// The errors of the reader. Each has one line for people, and `name` tells its class.

export class TablebaseError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No table of a material, or of a metric, is published. */
export class MissingTableError extends TablebaseError {
  /** The material whose table is missing; undefined if the file is another one. */
  material = undefined;
}

/** A text is not a FEN, or no table can have the position. */
export class UnsupportedPositionError extends TablebaseError {}

/** A file is damaged, cut short, or not the one that its index describes. */
export class CorruptTableError extends TablebaseError {}

/** A host does not answer, refuses, or lacks what a large file needs. */
export class HostError extends TablebaseError {}

/** A browser or a device cannot solve a table. */
export class SolvingError extends TablebaseError {}
