// The files in folders that were dropped, and in folders within these.

// Of one drop: a page that sends more is not left open for as long as that takes.
const mostFiles = 5000;
// A folder of programs has more files than are looked at for photos.
const mostSeen = 50000;

const read = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

// Browsers give a folder in parts, until one is empty.
async function entriesOf(folder) {
  const reader = folder.createReader();
  const entries = [];
  for (let some = await read(reader); some.length; some = await read(reader)) entries.push(...some);
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

// `folders` were asked for while the drop lasted. `isTaken(file)` says whether it is a photo or a video, and `tell(count)` is told
// how many were found so far. Answers them, how many others were passed over and could not be read, and whether there are more.
export async function filesIn(folders, isTaken, tell) {
  const found = { files: [], others: 0, unreadable: 0, isMore: false };
  const left = [...folders].reverse();
  let seen = 0;
  while (left.length && !found.isMore) {
    const entry = left.pop();
    try {
      if (entry.isDirectory) {
        left.push(...(await entriesOf(entry)).reverse());
      } else {
        const file = await fileOf(entry);
        if (isTaken(file)) found.files.push(file);
        else found.others += 1;
      }
    } catch {
      // The browser may not read it, or it has gone: it is counted, and the others are taken.
      found.unreadable += 1;
    }
    seen += 1;
    if (seen % 100 === 0) tell(found.files.length);
    found.isMore = left.length > 0 && (found.files.length >= mostFiles || seen >= mostSeen);
  }
  return found;
}
