// A file that the browser saves while the page stays.

import { Problem, wait } from './api.js';
import { within } from './within.js';

// An answer that takes longer is not worth waiting for, in milliseconds.
const PATIENCE = 30000;

function refusal({ status, headers }) {
  if (status === 429 || status === 503) return `Too much is downloaded at once. Try again ${wait(Number(headers.get('Retry-After')))}.`;
  if (status === 403) return 'The link to this download has ended. Press the button once more.';
  if (status === 404) return 'These photos are not there any more.';
  return `The download was answered with ${status}. Try again later.`;
}

// A refusal is said here, and not by the browser in the page's place. Here, by whatever name this page was opened: the link says
// the gallery's own.
export async function save(url) {
  const { pathname, search } = new URL(url, location.href);
  const href = pathname + search;
  let answer;
  try {
    answer = await fetch(href, { method: 'HEAD', signal: within(PATIENCE) });
  } catch (failure) {
    const isLate = failure.name === 'TimeoutError' || failure.name === 'AbortError';
    throw new Problem(isLate ? 'The server has not begun the download in time. Try again in a moment.' : 'The server cannot be reached. Is there a connection?');
  }
  if (!answer.ok) throw new Problem(refusal(answer), { status: answer.status });
  const link = document.createElement('a');
  link.href = href;
  link.download = '';
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
}
