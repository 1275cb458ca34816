// What a guest calls themselves, in comments and beside photos that they bring.

const NAME = 'guest name';

// A browser that stores nothing is told the name each time.
export function name(value) {
  try {
    if (value === undefined) return localStorage.getItem(NAME) ?? '';
    localStorage.setItem(NAME, value);
  } catch {
    return '';
  }
}
