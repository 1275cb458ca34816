// One photo before everything else, on the pages that an event is exported as. It is a classic script that asks nothing of any
// server, because a page from a disk has neither modules nor requests. Without it every thumb is a link to its picture.
(() => {
  'use strict';

  const main = document.getElementById('photos');
  const links = main ? Array.from(main.querySelectorAll('li[id^="photo-"] > a:first-child')) : [];
  if (!links.length || !('showModal' in document.createElement('dialog'))) return;

  // Photos without a picture are none of these, and count all the same.
  const items = Array.from(main.querySelectorAll('li[id^="photo-"]'));
  const before = Number(main.dataset.before);
  const language = document.documentElement.lang;
  // In the page's language.
  const say = JSON.parse(main.dataset.words);
  const total = Number(main.dataset.count).toLocaleString(language);
  const icons = { newer: 'M15 4l-8 8 8 8', older: 'M9 4l8 8-8 8', close: 'M5 5l14 14M19 5 5 19', get: 'M12 3v12M7 10l5 5 5-5M5 20h14' };
  let shown = -1;
  // Whether the way back leads to the list.
  let isPushed = false;

  const make = (name, values = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const icon = (path) => {
    const space = 'http://www.w3.org/2000/svg';
    const drawing = document.createElementNS(space, 'svg');
    drawing.setAttribute('viewBox', '0 0 24 24');
    drawing.setAttribute('aria-hidden', 'true');
    const line = document.createElementNS(space, 'path');
    line.setAttribute('d', path);
    drawing.append(line);
    return drawing;
  };

  const picture = make('img', { alt: '' });
  const film = make('video', { controls: '', playsinline: '', preload: 'metadata' });
  film.hidden = true;
  const unplayable = make('p', { class: 'unplayable', role: 'alert' }, say.unplayable);
  unplayable.hidden = true;
  const stage = make('div', { class: 'stage' }, picture, film, unplayable);
  const place = make('p', { class: 'place', 'aria-hidden': 'true' });
  const get = make('a', { class: 'icon' }, icon(icons.get));
  const close = make('button', { class: 'icon', type: 'button', 'aria-label': say.close }, icon(icons.close));
  const newer = make('button', { class: 'icon turn newer', type: 'button', 'aria-label': say.newer }, icon(icons.newer));
  const older = make('button', { class: 'icon turn older', type: 'button', 'aria-label': say.older }, icon(icons.older));
  const words = make('div', { class: 'said' });
  const told = make('p', { class: 'unseen', role: 'status' });
  const box = make('dialog', { class: 'box', 'aria-label': say.photo, tabindex: '-1' },
    stage, place, make('div', { class: 'deeds' }, get, close), newer, older, words, told);
  document.body.append(box);

  const item = (index) => links[index].parentElement;
  const address = () => location.href.split('#')[0];

  // Of a video, what is seen before it plays.
  const pictureOf = (link) => ('poster' in link.dataset ? new URL(link.dataset.poster, location.href).href : link.href);

  // A video takes the picture's place; what was played before is not loaded any more.
  const play = (link, called) => {
    const isFilm = Boolean(link) && 'poster' in link.dataset;
    picture.hidden = isFilm;
    film.hidden = !isFilm;
    film.pause();
    unplayable.hidden = true;
    if (isFilm) {
      film.poster = pictureOf(link);
      film.setAttribute('aria-label', called);
      film.src = link.href;
    } else if (film.hasAttribute('src')) {
      film.removeAttribute('src');
      film.load();
    }
  };

  // Without a decoder for its pictures, a browser plays the sound alone and calls that no error.
  const tellUnplayable = () => { unplayable.hidden = film.hidden || film.videoWidth > 0; };
  film.addEventListener('error', tellUnplayable);
  film.addEventListener('loadedmetadata', tellUnplayable);

  // Shows what the tile says, large.
  const show = (index) => {
    shown = index;
    const link = links[index];
    const small = link.querySelector('img');
    // The thumb is here already; it stands in until the large one is.
    picture.src = small.currentSrc || small.src;
    picture.alt = small.alt;
    play(link, small.alt);
    const large = new Image();
    large.onload = () => { if (shown === index) picture.src = large.src; };
    large.src = pictureOf(link);
    for (const other of [index + 1, index - 1]) if (links[other]) new Image().src = pictureOf(links[other]);
    const number = (before + items.indexOf(item(index)) + 1).toLocaleString(language);
    const tile = link.querySelector('.words');
    const time = tile && tile.querySelector('time');
    place.textContent = `${number} / ${total}${time ? ` · ${time.textContent}` : ''}`;
    words.replaceChildren(...(tile ? Array.from(tile.children) : []).filter((part) => part !== time).map((part) => part.cloneNode(true)));
    const caption = words.querySelector('.caption');
    if (caption) caption.removeAttribute('aria-hidden');
    told.textContent = [say.photoOf.replace('{number}', number).replace('{total}', total), caption && caption.textContent].filter(Boolean).join(', ');
    const original = item(index).querySelector('.get');
    get.href = (original || link).href;
    get.download = original ? original.download : '';
    get.setAttribute('aria-label', original ? original.getAttribute('aria-label') : 'poster' in link.dataset ? say.getVideo : say.getPhoto);
    get.title = get.getAttribute('aria-label');
    newer.disabled = !index && !main.dataset.newer;
    older.disabled = index + 1 === links.length && !main.dataset.older;
    // A button that can no more be pressed loses the focus, and with it every key.
    if (!box.contains(document.activeElement) || document.activeElement.disabled) box.focus();
  };

  const open = (index) => {
    if (!box.open) box.showModal();
    show(index);
    box.focus();
  };

  const shut = () => {
    if (!box.open) return;
    box.close();
    const link = links[shown];
    shown = -1;
    isPushed = false;
    play(null);
    picture.removeAttribute('src');
    // Where one has come to, and not where one began.
    link.scrollIntoView({ block: 'nearest' });
    link.focus({ preventScroll: true });
  };

  const leave = () => {
    if (isPushed) return history.back();
    history.replaceState(null, '', address());
    return shut();
  };

  const goTo = (index) => {
    history.replaceState(history.state, '', `#${item(index).id}`);
    show(index);
  };

  // Behind the last photo of a page comes the first of the next.
  const turn = (step) => {
    const index = shown + step;
    if (links[index]) return goTo(index);
    const other = step > 0 ? main.dataset.older : main.dataset.newer;
    return other ? location.replace(other) : undefined;
  };

  const followAddress = () => {
    const index = links.findIndex((link) => `#${link.parentElement.id}` === location.hash);
    if (index < 0) shut();
    else open(index);
  };

  main.addEventListener('click', (click) => {
    const index = links.indexOf(click.target.closest('a'));
    // With these a browser opens the picture by itself, elsewhere.
    if (index < 0 || click.button || click.ctrlKey || click.metaKey || click.shiftKey || click.altKey) return;
    click.preventDefault();
    history.pushState(null, '', `#${item(index).id}`);
    open(index);
    isPushed = true;
  });
  close.onclick = leave;
  newer.onclick = () => turn(-1);
  older.onclick = () => turn(1);
  box.addEventListener('cancel', (cancel) => {
    cancel.preventDefault();
    leave();
  });
  box.addEventListener('keydown', (key) => {
    if (key.altKey || key.ctrlKey || key.metaKey) return;
    const deeds = {
      ArrowLeft: () => turn(-1), ArrowRight: () => turn(1), Home: () => goTo(0), End: () => goTo(links.length - 1),
    };
    if (!deeds[key.key]) return;
    key.preventDefault();
    deeds[key.key]();
  });

  // One finger swipes: to the sides, or down to close. Two are the browser's, which makes the page larger, and then one finger
  // moves it.
  let start = null;
  const isLarger = () => Boolean(window.visualViewport) && visualViewport.scale > 1.02;
  if (window.visualViewport) visualViewport.addEventListener('resize', () => stage.classList.toggle('larger', isLarger()));
  stage.addEventListener('touchstart', (touch) => {
    const { top, height } = stage.getBoundingClientRect();
    start = touch.touches.length === 1 && !isLarger() ? touch.touches[0] : null;
    // The lower part of a video has its controls.
    if (start && touch.target === film && start.clientY > top + height * 0.7) start = null;
  }, { passive: true });
  stage.addEventListener('touchend', (touch) => {
    if (!start || touch.touches.length || isLarger()) return;
    const x = touch.changedTouches[0].clientX - start.clientX;
    const y = touch.changedTouches[0].clientY - start.clientY;
    start = null;
    if (Math.abs(x) > 40 && Math.abs(x) > 1.5 * Math.abs(y)) turn(x < 0 ? 1 : -1);
    else if (y > 80 && y > 1.5 * Math.abs(x)) leave();
  }, { passive: true });
  stage.addEventListener('touchcancel', () => { start = null; }, { passive: true });

  addEventListener('popstate', followAddress);
  addEventListener('hashchange', followAddress);
  if (location.hash.startsWith('#photo-')) followAddress();
})();
