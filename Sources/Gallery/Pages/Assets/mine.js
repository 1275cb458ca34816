// The picked photos themselves. Those that the server does not know any more leave the picks.

import { compared } from './position.js';

const PAGE = 60;
const AT_ONCE = 6;

// Whether the event answers at the page's address.
const isThere = (list) => list.ask('photos', { limit: 1 }).then(() => true, () => false);

// As many of them as are there. Fails with the first request that has no answer.
export async function gathered(list, picks, ids, signal, known = new Map()) {
  const found = [];
  const gone = [];
  const left = [...ids];
  const take = async () => {
    for (let id = left.shift(); id; id = left.shift()) {
      const photo = known.get(id) ?? (await list.fetch(id, { signal, isFresh: true }));
      if (photo) found.push(photo);
      else gone.push(id);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, take));
  } finally {
    // Where one has failed, the others need not be asked for.
    left.length = 0;
    // Where the event has another address now, no photo of it is known at this one.
    if (gone.length && (found.length || (await isThere(list)))) picks.remove(...gone);
  }
  if (signal?.aborted) throw signal.reason;
  // One may have been hidden, or given up, while others were asked for.
  return found.filter((photo) => picks.has(photo.id)).sort((one, other) => compared(other.position, one.position));
}

// The picks as a list that the wall shows: page by page, the latest first.
export function sourceOf(list, picks) {
  const ids = picks.entries.sort(([, one], [, other]) => compared(other, one)).map(([id]) => id);
  // What is here already need not be asked for, this time.
  const known = new Map(ids.slice(0, PAGE).map((id) => [id, list.timeline.find(id)]).filter(([, photo]) => photo));
  return async (cursor, signal) => {
    let next = Number(cursor) || 0;
    let photos = [];
    while (!photos.length && next < ids.length) {
      const page = ids.slice(next, next + PAGE).filter((id) => picks.has(id));
      photos = await gathered(list, picks, page, signal, known);
      known.clear();
      next += PAGE;
    }
    return { photos, next: next < ids.length ? String(next) : null };
  };
}
