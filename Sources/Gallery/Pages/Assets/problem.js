// What could not be done, in words for the one who asked for it.
export class Problem extends Error {
  isExpected = true;

  constructor(message, { status = 0, code = '', fields = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }

  // May go better the next time with nothing changed.
  get isPassing() { return this.status === 0 || this.status === 429 || this.status >= 500; }
  get isLoggedOut() { return this.code === 'LOGGED_OUT'; }
}
