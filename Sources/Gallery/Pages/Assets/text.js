// What a page says, in its language. The server makes a file of texts for each part of the pages and each language; a page
// loads those of its own.

const language = document.documentElement.lang;
// As Words.swift writes dates: in English, too, the day comes first.
export const locale = language === 'en' ? 'en-GB' : language;

const rules = new Intl.PluralRules(locale);
const texts = {};

// Before anything of that part is said: 'wall' for the texts whose keys begin so.
export async function learn(part) {
  Object.assign(texts, (await import(`./${part}-${language.slice(0, 2)}.js`)).default);
}

export const number = (value, wishes) => value.toLocaleString(locale, wishes);

// Each {place} takes the value of its name. A `count` decides which form of the text it is, where there are several.
export function text(key, values = {}) {
  const words = texts[key] ?? texts[`${key}.${rules.select(values.count)}`] ?? texts[`${key}.other`] ?? key;
  return words.replace(/\{(\w+)\}/g, (place, name) => {
    const value = values[name] ?? place;
    return typeof value === 'number' ? number(value) : value;
  });
}
