// One file's way by the tus protocol (https://tus.io/protocols/resumable-upload): in pieces, from where the server says that it
// has come to, until it is there or its host gives it up.

import { Problem } from './problem.js';
import { forget, known, note } from './unfinished.js';
import { within } from './within.js';

// What the server has not acknowledged when it dies is sent again.
const piece = 8 << 20;
// Of a request: without a byte sent, and without an answer once all are.
const longestSilence = 30000;
const longestAnswer = 180000;
const longestPause = 60000;
// With no byte more than before, where the server answers.
const mostFailures = 12;
const passing = [408, 409, 425, 460];
// What was begun is not found: the server has dropped it, or does not know the browser again.
export const LOST = 'LOST';

const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

// XMLHttpRequest tells how much of a body is sent, which fetch does not.
function request(authorized, method, address, { headers, body, signal, onSent }) {
  return authorized((token) => new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = new XMLHttpRequest();
    let timer;
    const cut = () => sent.abort();
    const end = (deed) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cut);
      deed();
    };
    const lost = end(() => reject(signal.aborted ? signal.reason : new Problem('The server cannot be reached.')));
    const allow = (milliseconds) => {
      clearTimeout(timer);
      timer = setTimeout(cut, milliseconds);
    };
    sent.open(method, address);
    for (const [name, value] of Object.entries({ Accept: 'application/json', 'Tus-Resumable': '1.0.0', ...headers, ...(token && { Authorization: `Bearer ${token}` }) })) {
      sent.setRequestHeader(name, value);
    }
    sent.upload.onprogress = ({ loaded }) => (allow(longestSilence), onSent?.(loaded));
    sent.upload.onload = () => allow(longestAnswer);
    sent.onload = end(() => resolve({ status: sent.status, header: (name) => sent.getResponseHeader(name), text: sent.responseText }));
    sent.onerror = lost;
    sent.onabort = lost;
    signal.addEventListener('abort', cut);
    allow(longestSilence);
    sent.send(body ?? null);
  }));
}

function refusal(answer) {
  let error = {};
  try {
    error = JSON.parse(answer.text).error ?? {};
  } catch {
    // A proxy before the server has pages of its own, and HEAD has none.
  }
  const fields = Object.entries(error.fields ?? {}).map(([name, texts]) => `${name} ${texts.join(', ')}`).join('; ');
  const said = fields || error.message || `the server answered with ${answer.status}`;
  const problem = new Problem(`${said[0].toUpperCase()}${said.slice(1)}.`, { status: answer.status, code: error.code });
  const seconds = Number(answer.header('Retry-After'));
  problem.pause = seconds > 0 ? Math.min(seconds, 3600) * 1000 : 0;
  return problem;
}

export class Transfer {
  offset = 0;
  #event;
  #file;
  #type;
  #heard;
  #way;
  #address = null;
  #isCertain = false;

  // `heard.sent(offset)` while bytes go, `heard.waits(problem, milliseconds)` before the next try. `way` is for whom: the `path` of
  // uploads, what `about()` says of each beside its file, and `authorized(send)`, which gives `send` a token where there is one.
  constructor(event, file, type, heard, way) {
    this.#event = event;
    this.#file = file;
    this.#type = type;
    this.#heard = heard;
    this.#way = way;
    this.#address = known(event, file)?.address ?? null;
  }

  get id() { return this.#address?.split('/').pop(); }

  // Until all of it is there. What the server does not take is thrown; what may pass is tried again.
  async send(signal) {
    let [failures, losses] = [0, 0];
    for (;;) {
      const before = this.offset;
      try {
        await this.#goOn(signal);
        return;
      } catch (problem) {
        if (signal.aborted) throw signal.reason;
        const { status = null } = problem;
        if (status === null || problem.isLoggedOut) throw problem;
        // Each further try would leave one more unfinished upload behind.
        if (problem.code === LOST && (losses += 1) > 1) throw problem;
        if (status === 0) await this.#read();
        const isAway = [0, 423, 429, 502, 503, 504].includes(status);
        if (!isAway && !passing.includes(status) && status < 500) throw problem;
        failures = this.offset > before ? 1 : failures + 1;
        if (!isAway && failures > mostFailures) throw problem;
        this.#isCertain = false;
        const milliseconds = problem.pause || Math.min(longestPause, 1000 * 2 ** Math.min(failures - 1, 6)) * (0.5 + Math.random() / 2);
        this.#heard.waits(problem, milliseconds);
        await this.#pause(milliseconds, signal, !problem.pause);
      }
    }
  }

  // Browsers do not say why a request was not sent: the file may have been moved, or its card taken out.
  async #read() {
    try {
      await this.#file.slice(0, 1).arrayBuffer();
    } catch {
      throw new Problem('The file cannot be read any more. Choose it again.', { status: 400 });
    }
  }

  // A network that has come back ends a pause, but not one that the server has asked for.
  #pause(milliseconds, signal, isOurs) {
    return new Promise((resolve, reject) => {
      const ended = new AbortController();
      const end = (deed) => () => (clearTimeout(timer), ended.abort(), deed());
      const timer = setTimeout(end(resolve), milliseconds);
      signal.addEventListener('abort', end(() => reject(signal.reason)), { signal: ended.signal });
      if (isOurs) addEventListener('online', end(resolve), { signal: ended.signal });
    });
  }

  async #goOn(signal) {
    if (this.#address && !this.#isCertain) await this.#look(signal);
    if (!this.#address) await this.#begin(signal);
    if (!this.#address) throw new Problem('The server has lost the upload.', { status: 500, code: LOST });
    while (this.offset < this.#file.size) await this.#append(signal);
  }

  #request(...asked) { return request(this.#way.authorized, ...asked); }

  async #begin(signal) {
    const key = known(this.#event, this.#file)?.key ?? random();
    note(this.#event, this.#file, { key });
    const about = { ...this.#way.about(), filename: this.#file.name.slice(-255), filetype: this.#type, lastModified: String(this.#file.lastModified) };
    const answer = await this.#request('POST', this.#way.path, {
      signal, headers: {
        'Upload-Length': String(this.#file.size), 'Idempotency-Key': key,
        'Upload-Metadata': Object.entries(about).map(([name, value]) => `${name} ${base64(value)}`).join(),
      },
    });
    if (answer.status !== 201) {
      // The question was another one once.
      if (answer.status === 409) forget(this.#event, this.#file);
      throw refusal(answer);
    }
    this.#address = answer.header('Location');
    note(this.#event, this.#file, { key, address: this.#address });
    // The same question may have been asked, and answered by bytes, before.
    await this.#look(signal);
  }

  async #look(signal) {
    const answer = await this.#request('HEAD', this.#address, { signal });
    if (answer.status === 404 || answer.status === 410) {
      this.restart();
      return;
    }
    if (answer.status !== 200) throw refusal(answer);
    this.#reached(answer);
  }

  async #append(signal) {
    const start = this.offset;
    const answer = await this.#request('PATCH', this.#address, {
      signal, body: this.#file.slice(start, start + piece),
      headers: { 'Upload-Offset': String(start), 'Content-Type': 'application/offset+octet-stream' },
      onSent: (sent) => this.#heard.sent(Math.min(start + sent, this.#file.size)),
    });
    if (answer.status !== 204) throw refusal(answer);
    this.#reached(answer);
    if (this.offset <= start) throw new Problem('The server took nothing.', { status: 500 });
  }

  #reached(answer) {
    this.offset = Number(answer.header('Upload-Offset'));
    this.#isCertain = true;
    this.#heard.sent(this.offset);
  }

  // As if it had never begun.
  restart() {
    forget(this.#event, this.#file);
    this.#address = null;
    this.#isCertain = false;
    this.offset = 0;
  }

  // Nothing of it stays at the server; where it cannot be told, that comes of itself.
  async giveUp() {
    const address = this.#address;
    this.restart();
    if (address) await this.#request('DELETE', address, { signal: within(longestSilence) });
  }

  done() { forget(this.#event, this.#file); }
}
