// Loads what is seen: a few requests at once, none for what was scrolled past, and again after a failure.

const MOST_AT_ONCE = 3;
const LONGEST_PAUSE = 15000;

export class Loader {
  #wanted = [];
  #flights = new Map();
  #failures = 0;
  #pause = 0;

  // `ask(piece, signal)` answers its photos, `loaded(piece, answer)` is told of them, `failing(isFailing)` of the connection.
  constructor(around) {
    Object.assign(this, around);
    addEventListener('online', () => this.#again());
  }

  // The nearest first; what is not among them any more is given up.
  want(pieces) {
    this.#wanted = pieces;
    for (const [piece, flight] of this.#flights) {
      if (!flight.isHeld && !pieces.includes(piece)) flight.controller.abort();
    }
    this.#next();
  }

  // One that is needed wherever one has scrolled to; fails with its request.
  async load(piece) {
    if (piece.isLoaded) return;
    const flight = this.#flights.get(piece) ?? this.#start(piece);
    flight.isHeld = true;
    await flight.end;
    if (flight.problem) throw flight.problem;
  }

  #next() {
    if (this.#pause) return;
    for (const piece of this.#wanted) {
      if (this.#flights.size >= MOST_AT_ONCE) return;
      if (!piece.isLoaded && !this.#flights.has(piece)) this.#start(piece);
    }
  }

  #start(piece) {
    const flight = { controller: new AbortController() };
    this.#flights.set(piece, flight);
    flight.end = this.#fly(piece, flight);
    return flight;
  }

  async #fly(piece, flight) {
    try {
      const answer = await this.ask(piece, flight.controller.signal);
      this.#failures = 0;
      this.failing(false);
      this.loaded(piece, answer);
    } catch (problem) {
      flight.problem = problem;
      if (!flight.controller.signal.aborted) this.#fail();
    } finally {
      this.#flights.delete(piece);
      this.#next();
    }
  }

  #fail() {
    this.failing(true);
    this.#failures += 1;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#again(), Math.min(LONGEST_PAUSE, 500 * 2 ** this.#failures));
  }

  #again() {
    clearTimeout(this.#pause);
    this.#pause = 0;
    this.#next();
  }
}
