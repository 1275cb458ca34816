// One photo: its picture, what became of it, stage by stage, and what can be done about each delivery.

import { element } from './element.js';
import { look, tell } from './door.js';
import { Marks } from './marks.js';
import { pictureOf } from './sheet.js';
import { shortName } from './panels.js';
import { bytes, clock, span } from './words.js';

const at = (id) => document.getElementById(id);
const dialog = at('photo');
const question = at('question');
const open = new Set(['staged', 'presigned', 'uploading', 'uploadedAwaitingProcessing', 'failedRetryable']);

// Asks once more; true where the answer is yes.
export function isSure(title, text, yes) {
  at('question-title').textContent = title;
  at('question-text').textContent = text;
  at('question-yes').textContent = yes;
  question.returnValue = 'no';
  question.showModal();
  return new Promise((answer) => question.addEventListener('close', () => answer(question.returnValue === 'yes'), { once: true }));
}

export class PhotoView {
  #photo;
  #number = 0;

  constructor(mayAct, notify) {
    this.mayAct = mayAct;
    this.notify = notify;
    this.marks = new Marks(mayAct, notify, isSure);
    at('photo-close').addEventListener('click', () => dialog.close());
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    dialog.addEventListener('close', () => {
      this.#photo = null;
      this.marks.close();
    });
  }

  show(photo) {
    this.#photo = photo;
    at('photo-title').textContent = photo.name;
    this.#order(photo);
    at('photo-story').replaceChildren(element('p', { class: 'soft' }, 'One moment …'));
    this.#picture(photo);
    if (!dialog.open) dialog.showModal();
    this.marks.show(photo);
    this.#load();
  }

  // It may be the one that is open.
  changed(photos) {
    const changed = photos.find(({ id }) => id === this.#photo?.id);
    if (!changed) return;
    if (changed.picture !== this.#photo.picture) this.#picture(changed);
    this.#photo = changed;
    this.#order(changed);
    this.#load();
    this.marks.load();
  }

  // What is wrong comes before what may be said of it.
  #order(photo) {
    dialog.dataset.first = photo.standing === 'failed' ? 'story' : 'marks';
  }

  #picture(photo) {
    const frame = at('photo-picture');
    frame.replaceChildren();
    if (!photo.picture) return;
    const small = element('img', { alt: `Photo ${photo.name}`, src: pictureOf(photo, photo.isHere ? 'camera' : 'tile') });
    small.addEventListener('load', () => frame.childElementCount || frame.append(small), { once: true });
    const sharp = element('img', { alt: `Photo ${photo.name}`, src: pictureOf(photo, 'screen') });
    sharp.addEventListener('load', () => this.#photo?.id === photo.id && frame.replaceChildren(sharp), { once: true });
  }

  async #load() {
    const number = (this.#number += 1);
    try {
      const { photo, story } = await look(`/api/photos/${this.#photo.id}`);
      if (number === this.#number && this.#photo) this.#fill(photo, story);
    } catch (refusal) {
      if (number === this.#number) at('photo-story').replaceChildren(element('p', { class: 'problem' }, refusal.message));
    }
  }

  #fill(photo, story) {
    const told = element('div', {},
      element('p', { class: 'sentence', 'data-standing': photo.standing }, story.sentence),
      story.cures.length > 0 && element('ul', { class: 'cures' }, ...story.cures.map((cure) => element('li', {}, `To do: ${cure}`))),
      photo.problem && photo.standing !== 'failed' && element('p', { class: 'soft' }, photo.problem),
      element('dl', { class: 'facts' },
        ...[['On the card', story.path], ['Camera', photo.camera], ['Size', bytes(story.size)], ['Number', `${story.id}`],
          ['SHA-256', story.sha256]]
          .filter(([, value]) => value).flatMap(([name, value]) => [element('dt', {}, name), element('dd', { dir: 'auto' }, value)])),
      element('h3', {}, 'Destinations'),
      story.deliveries.length ? element('ul', { class: 'ways' }, ...story.deliveries.map((way) => this.#way(way)))
        : element('p', { class: 'soft' }, 'None yet.'),
      element('h3', {}, 'Its way'),
      element('ol', { class: 'stages' }, ...story.stages.map((stage) => element('li', {},
        element('time', { datetime: stage.at }, clock(stage.at)), element('span', {}, stage.text,
          stage.tookMilliseconds == null ? '' : ` (${span(stage.tookMilliseconds / 1000)})`)))));
    at('photo-story').replaceChildren(...told.childNodes);
  }

  #way(way) {
    const deeds = [];
    if (this.mayAct()) {
      if (way.state === 'failedPermanent') {
        deeds.push(element('button', { type: 'button', click: () => this.#do('/api/retry', { jobs: [way.job] }, 'It is begun again.') },
          'Retry'));
      }
      if (open.has(way.state) || (way.state === 'failedPermanent' && !way.cancelled)) {
        deeds.push(element('button', { type: 'button', click: () => this.#cancel(way) }, 'Cancel'));
      }
    }
    return element('li', { 'data-state': way.state },
      element('p', {}, element('b', { dir: 'auto' }, shortName(way.destination)), ' ', way.sentence),
      way.cure && element('p', { class: 'advice' }, `To do: ${way.cure}`),
      deeds.length > 0 && element('div', { class: 'deeds' }, ...deeds));
  }

  async #cancel(way) {
    const sure = await isSure('Cancel this delivery?',
      `${this.#photo?.name} will not be delivered to ${shortName(way.destination)}. The photo stays here.`, 'Cancel it');
    if (sure) this.#do('/api/cancel', { jobs: [way.job], confirmed: true }, 'It is cancelled.');
  }

  async #do(path, wish, done) {
    try {
      await tell(path, wish);
      this.notify(done);
      this.#load();
    } catch (refusal) {
      this.notify(refusal.message, true);
    }
  }
}
