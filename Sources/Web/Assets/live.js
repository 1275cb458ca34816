// What the server says by itself. A browser reconnects after a cut and says what it heard last; this file does so where it
// does not: after an error that ends the source, and on a phone that comes out of a pocket or into another network. Where as
// many listen as may, the page asks now and then, until there is room. A page that is not looked at for a minute listens no more,
// because browsers have six connections to a server for all their pages; it hears what it has missed when it is looked at again.

export class Live {
  #source;
  #last;
  #failures = 0;
  #timer;
  #hiddenAt = 0;
  #asks = 0;

  // `kinds` has a function for each kind of message; `ask` looks for what is new where the server does not tell.
  // Only a page that says when it is `offline` rests: a screen in a hall does not, nor one whose title tells what there is.
  constructor(address, last, kinds, { state, refused, offline, ask }) {
    Object.assign(this, { address, kinds, state, refused, ask });
    this.#last = last;
    this.#open();
    addEventListener('online', () => this.#open());
    offline && addEventListener('offline', offline);
    // A page that leaves for good or into the browser's memory of pages takes no connection along.
    addEventListener('pagehide', () => this.#source?.close());
    addEventListener('pageshow', (shown) => shown.persisted && this.#open());
    // However it came to listen: it may have been opened behind another page.
    offline && setInterval(() => document.hidden && Date.now() - this.#hiddenAt > 60000 && this.#source.close(), 10000);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#hiddenAt = Date.now();
      else if (Date.now() - this.#hiddenAt > 20000 || this.#source.readyState !== EventSource.OPEN) this.#open();
    });
  }

  #open() {
    clearTimeout(this.#timer);
    this.#source?.close();
    const source = new EventSource(`${this.address}?after=${encodeURIComponent(this.#last)}`);
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.state(true);
    };
    source.onerror = () => {
      this.state(false);
      if (source !== this.#source || source.readyState !== EventSource.CLOSED) return;
      // The answer was no, and this source does not say which one.
      this.refused();
      this.#failures += 1;
      this.#timer = setTimeout(() => this.#open(), 1000 * (1 + Math.random() * Math.min(60, 2 ** this.#failures)));
    };
    source.addEventListener('poll', () => {
      source.close();
      this.#asks = 0;
      this.#askLater();
    });
    for (const [kind, hear] of Object.entries(this.kinds)) {
      source.addEventListener(kind, (message) => {
        if (message.lastEventId) this.#last = message.lastEventId;
        hear(JSON.parse(message.data || '{}'));
      });
    }
  }

  // Each page at a moment of its own. After some minutes there may be room.
  #askLater() {
    this.#timer = setTimeout(async () => {
      if ((this.#asks += 1) > 12) return this.#open();
      this.state(await this.ask?.().then(() => true, () => false));
      if (this.#source.readyState === EventSource.CLOSED) this.#askLater();
    }, 10000 + 10000 * Math.random());
  }
}
