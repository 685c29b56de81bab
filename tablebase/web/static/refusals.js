// What a question is answered with instead.

/** An answer that there is none, in words; `status` is that of HTTP, 0 if nobody answers. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}
