// Calls of the API. The access token is nowhere but in this variable. The refresh token is the browser's, for all its tabs:
// each is good once, so that one tab at a time renews it, and the others go on from what that one got.

import { Problem } from './problem.js';
import { within } from './within.js';

export { Problem };

const kept = 'refreshToken';
let access = null;
let renewal = null;
let onLoggedOut = () => {};

// A log-in's tokens begin with its name.
const login = (token) => token?.split('_')[0];

// A browser that is told to keep nothing refuses at the name alone: a log-in is then for this tab, and for as long as it is open.
function storage(name) {
  try {
    window[name].getItem(kept);
    return window[name];
  } catch {
    const values = new Map();
    return {
      isForOneTab: true, getItem: (key) => values.get(key) ?? null, setItem: (key, value) => values.set(key, value), removeItem: (key) => values.delete(key),
    };
  }
}

const [shared, own] = ['localStorage', 'sessionStorage'].map(storage);

// From the time when a log-in was for one tab.
if (own.getItem(kept)) {
  if (!shared.getItem(kept)) shared.setItem(kept, own.getItem(kept));
  own.removeItem(kept);
}

addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key !== kept || login(oldValue) === login(newValue)) return;
  access = null;
  // Another tab has logged out, or logged in.
  if (newValue) location.reload();
  else onLoggedOut();
});

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const longestRenewal = 15000;

// One tab after the other. Browsers have locks for that, but only where the page came by https; in a hall's own network the
// tabs agree by what they have in common.
async function alone(deed) {
  // Such a browser refuses locks as well, and there is no other tab to wait for.
  if (shared.isForOneTab) return deed();
  // What another tab has just written is there a moment later.
  const soon = () => pause(60).then(deed);
  if (navigator.locks) return navigator.locks.request('renewal', soon);
  const held = () => JSON.parse(shared.getItem('renewal') ?? '{}');
  const mine = Math.random();
  for (;;) {
    const { until = 0 } = held();
    if (until < Date.now() || until > Date.now() + longestRenewal) {
      shared.setItem('renewal', JSON.stringify({ mine, until: Date.now() + longestRenewal }));
      await pause(100);
      if (held().mine === mine) break;
    }
    await pause(100 + Math.random() * 100);
  }
  try {
    return await soon();
  } finally {
    if (held().mine === mine) shared.removeItem('renewal');
  }
}

export function wait(seconds) {
  if (!(seconds > 0)) return 'in a moment';
  if (seconds < 90) return `in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  if (seconds < 5400) return `in ${Math.ceil(seconds / 60)} minutes`;
  return `in ${Math.ceil(seconds / 3600)} hours`;
}

async function problem(answer) {
  const { status } = answer;
  let error = {};
  try {
    error = (await answer.json()).error ?? {};
  } catch {
    // A proxy in front of the server answers with pages of its own; the status says enough.
  }
  const said = error.message ? `${error.message[0].toUpperCase()}${error.message.slice(1)}.` : `The server answered with ${status}.`;
  const text = status === 429 ? `Too many attempts. Try again ${wait(Number(answer.headers.get('Retry-After')))}.` : said;
  return new Problem(text, { status, code: error.code, fields: error.fields });
}

async function send(method, path, { body, file, headers = {}, signal } = {}) {
  const sent = { Accept: 'application/json', ...headers };
  if (body !== undefined) sent['Content-Type'] = 'application/json';
  if (file) sent['Content-Type'] = file.type || 'application/octet-stream';
  try {
    return await fetch(path, { method, headers: sent, body: file ?? (body === undefined ? undefined : JSON.stringify(body)), signal });
  } catch (failure) {
    if (failure.name === 'AbortError') throw failure;
    throw new Problem('The server cannot be reached. Is there a connection?');
  }
}

async function value(answer) {
  if (!answer.ok) throw await problem(answer);
  return answer.status === 204 ? null : (await answer.json()).data;
}

function keep({ accessToken, refreshToken }) {
  access = accessToken;
  shared.setItem(kept, refreshToken);
}

function loggedOut() {
  const was = access !== null || shared.getItem(kept) !== null;
  access = null;
  shared.removeItem(kept);
  if (was) onLoggedOut();
  return new Problem('You are logged out.', { status: 401, code: 'LOGGED_OUT' });
}

// Once for all calls that wait for it: a refresh token is spent by being used.
function renew() {
  renewal ??= alone(async () => {
    for (;;) {
      const refreshToken = shared.getItem(kept);
      if (!refreshToken) throw loggedOut();
      // Given up before another tab takes its turn.
      const answer = await send('POST', '/auth/refresh', { body: { refreshToken }, signal: within(longestRenewal - 5000) });
      // Another tab has logged in or out meanwhile: that counts.
      if (shared.getItem(kept) !== refreshToken) continue;
      if (answer.status === 401 || answer.status === 422) throw loggedOut();
      return keep(await value(answer));
    }
  }).finally(() => (renewal = null));
  return renewal;
}

async function authorized(attempt) {
  if (!access) await renew();
  const used = access;
  const answer = await attempt(used);
  if (answer.status !== 401) return answer;
  // Another call may have renewed it while this one was under way.
  if (access === used) await renew();
  const again = await attempt(access);
  if (again.status === 401) throw loggedOut();
  return again;
}

const ask = (method, path, options = {}) =>
  authorized((token) => send(method, path, { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } }));

export const api = {
  get isLoggedIn() { return shared.getItem(kept) !== null; },
  set onLoggedOut(deed) { onLoggedOut = deed; },

  get: async (path) => value(await ask('GET', path)),
  post: async (path, body) => value(await ask('POST', path, { body })),
  patch: async (path, body) => value(await ask('PATCH', path, { body })),
  // A file as it is.
  put: async (path, file) => value(await ask('PUT', path, { file })),
  delete: async (path) => value(await ask('DELETE', path)),
  // `attempt(token)` makes a request by itself, and another one where its token was not good any more.
  authorized,
  // A picture that is for the host alone, as an element.
  async picture(path) {
    const answer = await ask('GET', path);
    if (!answer.ok) throw await problem(answer);
    return document.importNode(new DOMParser().parseFromString(await answer.text(), 'image/svg+xml').documentElement, true);
  },

  // Without a log-in.
  tell: async (path, body) => value(await send('POST', path, { body })),

  async logIn(credentials) {
    keep(await value(await send('POST', '/auth/login', { body: credentials })));
  },

  async register(wish) {
    keep(await value(await send('POST', '/auth/register', { body: wish })));
  },

  async logOut() {
    const refreshToken = shared.getItem(kept);
    loggedOut();
    if (refreshToken) await value(await send('POST', '/auth/logout', { body: { refreshToken } }));
  },

  // The account is gone, and its tokens with it.
  forget: () => void loggedOut(),
};

// In milliseconds.
const REST = 60000;

// What the server says by itself about an event. EventSource cannot carry a token, so that the stream is read here.
export class Live {
  #path;
  #heard;
  #last = null;
  #failures = 0;
  #ended = new AbortController();
  #cut = () => {};
  // A page that is not looked at for a minute leaves its connection to others: browsers have six to a server.
  #rest = Promise.resolve();

  // `heard` has a function for each kind of message, and `state(isOpen)`.
  constructor(path, heard) {
    this.#path = path;
    this.#heard = heard;
    const { signal } = this.#ended;
    // A phone that comes out of a pocket or into another network has a connection that only looks like one.
    addEventListener('online', () => this.#cut(), { signal });
    addEventListener('pageshow', (shown) => shown.persisted && this.#cut(), { signal });
    let resting;
    let wake = () => {};
    const rest = () => {
      clearTimeout(resting);
      wake();
      if (document.hidden) {
        resting = setTimeout(() => {
          this.#rest = new Promise((resolve) => (wake = resolve));
          this.#cut();
        }, REST);
      }
    };
    document.addEventListener('visibilitychange', rest, { signal });
    // It may have been opened behind another page.
    rest();
    signal.addEventListener('abort', () => wake());
    this.#run();
  }

  end() {
    this.#ended.abort();
    this.#cut();
  }

  async #run() {
    while (!this.#ended.signal.aborted) {
      try {
        await this.#rest;
        if (this.#ended.signal.aborted) return;
        await this.#listen();
      } catch (failure) {
        if (this.#ended.signal.aborted || failure.isLoggedOut) return;
        // The event was deleted.
        if (failure.status === 404) return this.#heard.deleted();
      }
      if (this.#ended.signal.aborted) return;
      this.#heard.state(false);
      this.#failures += 1;
      const longest = Math.min(60, 2 ** this.#failures);
      await this.#pause(1000 * (0.5 + Math.random() * longest));
    }
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#cut = () => (clearTimeout(timer), resolve());
    });
  }

  async #listen() {
    const connection = new AbortController();
    this.#cut = () => connection.abort();
    const headers = { Accept: 'text/event-stream' };
    if (this.#last) headers['Last-Event-ID'] = this.#last;
    const answer = await ask('GET', this.#path, { headers, signal: connection.signal });
    if (!answer.ok) throw await problem(answer);
    this.#failures = 0;
    this.#heard.state(true);
    // What has changed before this connection is in the lists; what comes from now on waits until they are read.
    if (!this.#last) await this.#heard.reset();
    await this.#read(answer.body, connection);
  }

  async #read(body, connection) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let message = {};
    let silence;
    try {
      for (;;) {
        // The server says something at least every 15 seconds, if only a colon.
        clearTimeout(silence);
        silence = setTimeout(() => connection.abort(), 45000);
        const { done, value: text } = await reader.read();
        if (done) return;
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) message = await this.#take(line.replace(/\r$/, ''), message);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async #take(line, message) {
    if (line !== '') {
      // Every message of this server has its data in one line; a line that begins with a colon only says it is there.
      const [, name, text] = /^(\w*):? ?(.*)$/.exec(line) ?? [];
      return name ? { ...message, [name]: text } : message;
    }
    if (['photo', 'gone', 'count', 'reactions', 'reset'].includes(message.event)) {
      await this.#heard[message.event](message.data ? JSON.parse(message.data) : {});
    }
    // As many listen as may. Each time that room is looked for the lists are read.
    if (message.event === 'poll') {
      this.#failures = 5;
      this.#last = null;
    }
    // Only now: where it could not be done, it is asked for once more.
    if (message.id) this.#last = message.id;
    return {};
  }
}
