// Figures and moments as people read them.

export const counted = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export function bytes(number) {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let place = 0;
  for (; number >= 1000 && place < units.length - 1; place += 1) number /= 1000;
  return `${number.toLocaleString('en', { maximumFractionDigits: place > 1 ? 1 : 0 })} ${units[place]}`;
}

export function span(seconds) {
  if (seconds < 10) return `${seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toLocaleString('en', { maximumFractionDigits: 1 })} h`;
}

// The clock of this device.
export const clock = (moment) =>
  new Date(moment).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

// What the camera's clock showed, which is in no zone.
export const shotAt = (text) => (text ? text.slice(11, 16) : '');
