// Uploads that are not finished, kept by the browser for a page that is loaded anew: where each goes on, by what tells files
// apart without reading them.

const most = 2000;
const life = 72 * 3600 * 1000;
const place = (event) => `uploads ${event}`;
// Where the browser keeps nothing, they last as long as the page.
const meanwhile = new Map();

function read(event) {
  if (!meanwhile.has(event)) {
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem(place(event)) ?? '{}');
    } catch {
      // Another program has written it, or nothing may be kept.
    }
    const rows = Object.entries(Object(kept)).filter(([, row]) => typeof row?.key === 'string' && row.at > Date.now() - life);
    meanwhile.set(event, new Map(rows));
  }
  return meanwhile.get(event);
}

function write(event) {
  const rows = read(event);
  while (rows.size > most) rows.delete(rows.keys().next().value);
  try {
    if (rows.size) localStorage.setItem(place(event), JSON.stringify(Object.fromEntries(rows)));
    else localStorage.removeItem(place(event));
  } catch {
    // It is full, or keeps nothing: uploads go on all the same.
  }
}

export const fingerprint = ({ name, size, lastModified }) => `${size} ${lastModified} ${name}`;

export const known = (event, file) => read(event).get(fingerprint(file));

// `key` makes the question for a place the same question, should its answer be lost.
export function note(event, file, { key, address = null }) {
  read(event).set(fingerprint(file), { key, address, name: file.name, at: Date.now() });
  write(event);
}

export function forget(event, file) {
  if (read(event).delete(fingerprint(file))) write(event);
}

export const interrupted = (event) => [...read(event).values()].filter(({ address }) => address).map(({ name }) => String(name));
