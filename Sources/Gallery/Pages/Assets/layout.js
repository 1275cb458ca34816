// Where each photo is on the wall, from the shapes of all: rows of one height whose photos share what the width leaves, as the
// style sheet lays out what the server wrote. It takes some milliseconds for 50,000.

// As in guest.css.
export const GAP = 4;
const HEADING = 46;
// Shorter walls need no way to any hour.
export const FEWEST_SCREENS = 3;

// As --u in guest.css.
export const unit = (viewport) => Math.min(16.4, Math.max(8, 0.0255 * viewport));

// `lines[i]` begins with the photo `starts[i]`; each of its photos is as wide as its shape times `scales[i]`.
export function laidOut({ sections, shapes }, width, unit) {
  const starts = [];
  const tops = [];
  const scales = [];
  let y = 0;
  for (const section of sections) {
    section.top = y;
    y += section.title ? HEADING : 0;
    const end = section.first + section.count;
    for (let start = section.first; start < end;) {
      let twelfths = shapes[start];
      let used = snapped(twelfths * unit);
      let next = start + 1;
      for (; next < end; next += 1) {
        const wide = snapped(shapes[next] * unit);
        if (used + GAP + wide > width) break;
        used += GAP + wide;
        twelfths += shapes[next];
      }
      // The last row of an hour is not stretched.
      const scale = next < end ? (width - GAP * (next - start - 1)) / twelfths : unit;
      starts.push(start);
      tops.push(y);
      scales.push(scale);
      y += 12 * scale + GAP;
      start = next;
    }
    section.height = y - section.top;
  }
  starts.push(shapes.length);
  return { starts, tops, scales, shapes, height: y, count: tops.length };
}

// Browsers count in parts of a pixel.
const snapped = (length) => Math.floor(64 * length) / 64;

// The last of these (in order) that is not above it.
export function lastUpTo(values, value, count = values.length) {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Where a photo of that row is.
export function box({ starts, tops, scales, shapes }, line, index) {
  let x = 0;
  for (let other = starts[line]; other < index; other += 1) x += shapes[other] * scales[line] + GAP;
  return { x, y: tops[line], width: shapes[index] * scales[line], height: 12 * scales[line] };
}
