// The way to the bridge: the token of the address becomes a cookie that no script sees, and goes out of the address.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { cache: 'no-store', credentials: 'same-origin', ...options });
  } catch {
    throw new Refused(0, 'The bridge does not answer.');
  }
  const body = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, body.error ?? `The bridge answered ${answer.status}.`);
  return body;
}

export const look = (path) => ask(path);

export const tell = (path, wish) =>
  ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(wish) });

const tokenIn = (text) => text.match(/#token=([\w-]+)/)?.[1] ?? text.trim();

// True where this browser may look.
export async function enter() {
  if (location.hash.startsWith('#token=')) {
    const token = tokenIn(location.hash);
    history.replaceState(null, '', location.pathname);
    await tell('/session', { token });
    return true;
  }
  return (await look('/session')).entered;
}

// Shows the gate until it is opened.
export function showGate(text) {
  const gate = document.getElementById('gate');
  const form = document.getElementById('gate-form');
  const said = document.getElementById('gate-text');
  document.getElementById('desk').hidden = true;
  gate.hidden = false;
  if (text) said.textContent = text;
  return new Promise((open) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      try {
        await tell('/session', { token: tokenIn(document.getElementById('token').value) });
      } catch (refusal) {
        said.textContent = refusal.message;
        said.className = 'problem';
        return;
      }
      gate.hidden = true;
      open();
    };
  });
}
