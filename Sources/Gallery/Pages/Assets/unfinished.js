// Uploads that are not finished, kept by the browser for a page that is loaded anew: where each goes on, by what tells files
// apart without reading them.

const most = 2000;
const life = 72 * 3600 * 1000;
const place = (event) => `uploads ${event}`;
// Where the browser keeps nothing, they last as long as the page.
const meanwhile = new Map();

// As it is kept now: another page of the browser may send files of the same event.
function read(event) {
  let kept;
  try {
    kept = JSON.parse(localStorage.getItem(place(event)) ?? '{}');
  } catch {
    // Another program has written it, or nothing may be kept.
  }
  if (!kept || meanwhile.has(event)) return meanwhile.get(event) ?? new Map();
  return new Map(Object.entries(Object(kept)).filter(([, row]) => typeof row?.key === 'string' && row.at > Date.now() - life));
}

function change(event, deed) {
  const rows = read(event);
  if (!deed(rows)) return;
  while (rows.size > most) rows.delete(rows.keys().next().value);
  try {
    if (rows.size) localStorage.setItem(place(event), JSON.stringify(Object.fromEntries(rows)));
    else localStorage.removeItem(place(event));
  } catch {
    // It is full, or keeps nothing: uploads go on all the same.
    meanwhile.set(event, rows);
  }
}

export const fingerprint = ({ name, size, lastModified }) => `${size} ${lastModified} ${name}`;

export const known = (event, file) => read(event).get(fingerprint(file));

// `key` makes the question for a place the same question, should its answer be lost.
export function note(event, file, { key, address = null }) {
  change(event, (rows) => rows.set(fingerprint(file), { key, address, name: file.name, at: Date.now() }));
}

export function forget(event, file) {
  change(event, (rows) => rows.delete(fingerprint(file)));
}

export const interrupted = (event) => [...read(event).values()].filter(({ address }) => address).map(({ name }) => String(name));
