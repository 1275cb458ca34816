// The bridge's page: lets in, loads everything once, and follows what changes.

import { alarm, prepare } from './alarm.js';
import { enter, look, showGate, tell } from './door.js';
import { Live } from './live.js';
import { PhotoView } from './photo.js';
import { Sheet } from './sheet.js';
import { showCameras, showCounts, showHeadline, showMachine, showPlaces, showTroubles } from './panels.js';
import { clock, counted } from './words.js';

const at = (id) => document.getElementById(id);
const state = { status: null, headline: null, mayAct: false, position: 0, heardAt: 0, isLive: false, problem: null };
let noticeTimer;

function notify(text, isBad = false) {
  const notice = at('notice');
  // What stands below an open dialog is neither seen nor read out.
  (document.querySelector('dialog[open]') ?? document.body).append(notice);
  notice.textContent = text;
  notice.className = isBad ? 'notice bad' : 'notice';
  notice.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.hidden = true), isBad ? 12000 : 5000);
}

const photoView = new PhotoView(() => state.mayAct, notify);
const sheet = new Sheet((photo) => photoView.show(photo), (refusal) => notify(refusal.message, true));

function showStatus() {
  const { status, headline } = state;
  if (!status) return;
  const name = status.event?.name ?? 'No event';
  at('event').textContent = name;
  document.title = `${state.isLive ? headline.title : 'No answer'} · ${name}`;
  showHeadline(state.isLive ? headline : {
    tone: 'off', title: 'The bridge does not answer',
    detail: `What you see is from ${clock(state.heardAt)}. This page goes on by itself when the bridge is heard again.`,
  });
  showCounts(status);
  showTroubles(status, headline, state.problem);
  showCameras(status.cameras);
  showPlaces(status.destinations);
  showMachine(status);
  at('live').textContent = state.isLive ? 'Live' : 'Not live';
  at('live').className = state.isLive ? 'live' : 'live lost';
  at('deeds').hidden = !state.mayAct || !state.isLive;
  at('pause').textContent = status.paused ? 'Resume deliveries' : 'Pause deliveries';
  at('retry').hidden = status.jobs.failed === 0;
}

function take({ status, headline }) {
  const wasBad = state.headline?.tone === 'bad';
  const failedBefore = state.status?.jobs.failed ?? status.jobs.failed;
  const calledBefore = state.status?.alerts?.length ?? 0;
  state.status = status;
  state.headline = headline;
  if ((headline.tone === 'bad' && !wasBad) || status.jobs.failed > failedBefore || (status.alerts?.length ?? 0) > calledBefore) alarm();
}

function heard() {
  state.heardAt = Date.now();
  state.isLive = true;
}

async function loadAll() {
  const all = await look('/api/now');
  state.mayAct = all.mayAct;
  state.position = all.position;
  state.problem = null;
  heard();
  take(all);
  sheet.begin(all.photos, all.tiles);
  photoView.changed(all.photos);
  showStatus();
}

function lost() {
  if (!state.isLive) return;
  state.isLive = false;
  showStatus();
}

// The cookie of another run opens nothing.
async function refused() {
  try {
    await loadAll();
  } catch (refusal) {
    lost();
    if (refusal.status === 401) {
      await showGate('The bridge has begun a new run, and that has a new address: open the one that it has printed, or scan its code.');
      location.reload();
    }
  }
}

function follow() {
  const reload = () => loadAll().catch(lost);
  new Live('/api/events', state.position, {
    status: (all) => {
      heard();
      state.problem = null;
      take(all);
      sheet.again();
      showStatus();
    },
    photos: ({ photos }) => {
      heard();
      sheet.take(photos);
      photoView.changed(photos);
    },
    trouble: ({ text }) => {
      heard();
      state.problem = text;
      showStatus();
    },
    again: reload, reset: reload,
  }, { state: (isOpen) => (isOpen ? (heard(), showStatus()) : lost()), refused });
  // A connection may be dead without saying so: the bridge says something every five seconds.
  setInterval(() => Date.now() - state.heardAt > 12000 && lost(), 1000);
}

async function act(button, deed) {
  if (button.ariaBusy) return;
  button.ariaBusy = 'true';
  try {
    await deed();
  } catch (refusal) {
    notify(refusal.message, true);
  }
  button.ariaBusy = null;
}

at('pause').addEventListener('click', ({ currentTarget }) => act(currentTarget, async () => {
  const { paused } = await tell('/api/pause', { paused: !state.status.paused });
  notify(paused ? 'Paused. Cameras go on; photos are kept here.' : 'Deliveries go on.');
}));
at('retry').addEventListener('click', ({ currentTarget }) => act(currentTarget, async () => {
  const { retried, asked } = await tell('/api/retry', { failed: true });
  notify(`${counted(retried, 'delivery is', 'deliveries are')} begun again${retried < asked ? `; ${asked - retried} cannot be` : ''}.`);
}));

async function start() {
  prepare();
  let mayEnter = false;
  let text;
  try {
    mayEnter = await enter();
  } catch (refusal) {
    text = refusal.message;
  }
  if (!mayEnter) await showGate(text);
  await loadAll();
  at('desk').hidden = false;
  follow();
}

start().catch((problem) => {
  showGate(problem.message).then(() => location.reload());
});
