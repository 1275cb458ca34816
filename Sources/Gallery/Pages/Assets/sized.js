// How large a file is, as guests read it: in their language, without more digits than are of use.

import { number } from './text.js';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

export function sized(bytes) {
  let place = 0;
  for (; bytes >= 1000 && place < UNITS.length - 1; place += 1) bytes /= 1000;
  return number(bytes, { style: 'unit', unit: UNITS[place], maximumFractionDigits: bytes < 10 && place > 1 ? 1 : 0 });
}
