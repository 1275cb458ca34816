// The picture itself, larger: by two fingers, a double tap, the wheel and the keys + - 0; moved by a finger, the mouse or the
// arrows, never beyond its edges. As large as it was, it is swiped: to the sides, or down to close it. With Ctrl, wheel and
// keys are the browser's, which makes the whole page larger.

const MOST = 8;
const STEP = 1.5;
const DOUBLE = 2.5;
const SOON = 300;

export class Zoom {
  #scale = 1;
  #x = 0;
  #y = 0;
  #fingers = new Map();
  #start = null;
  #tapped = { at: 0, x: 0, y: 0 };
  #isMouse = true;

  // `around`: `turn(step)` and `close()`.
  constructor(stage, image, around) {
    Object.assign(this, { stage, image, around });
    stage.addEventListener('pointerdown', (down) => this.#down(down));
    stage.addEventListener('pointermove', (move) => this.#move(move));
    stage.addEventListener('pointerup', (up) => this.#up(up));
    stage.addEventListener('pointercancel', (up) => this.#end(up, false));
    stage.addEventListener('dblclick', (click) => this.#isMouse && this.#toggle(click.clientX, click.clientY));
    stage.addEventListener('wheel', (wheel) => {
      if (wheel.ctrlKey) return;
      wheel.preventDefault();
      this.#to(this.#scale * Math.exp(-wheel.deltaY * (wheel.deltaMode ? 0.05 : 0.002)), wheel.clientX, wheel.clientY);
    }, { passive: false });
    const box = stage.parentElement;
    // WebKit takes the focus from what has just opened now and then, and every key with it.
    box.addEventListener('focusout', () => setTimeout(() => {
      if (box.open && document.activeElement === document.body) box.focus();
    }));
    image.draggable = false;
    // Where the page is larger, one finger moves it, and not the picture.
    visualViewport?.addEventListener('resize', () => stage.classList.toggle('paged', this.#isPageZoomed));
    addEventListener('resize', () => this.#to(this.#scale));
  }

  get isZoomed() { return this.#scale > 1; }
  get scale() { return this.#scale; }
  get #isPageZoomed() { return visualViewport?.scale > 1.02; }

  reset() {
    this.#start = null;
    [this.#scale, this.#x, this.#y] = [1, 0, 0];
    this.#draw();
  }

  // Whether the key was for it.
  key(key) {
    const part = this.stage.clientWidth / 8;
    if (key === '+' || key === '=') this.#to(this.#scale * STEP);
    else if (key === '-') this.#to(this.#scale / STEP);
    else if (key === '0') this.reset();
    else if (this.isZoomed && key.startsWith('Arrow')) {
      this.#x += { ArrowLeft: part, ArrowRight: -part }[key] ?? 0;
      this.#y += { ArrowUp: part, ArrowDown: -part }[key] ?? 0;
      this.#to(this.#scale);
    } else return false;
    return true;
  }

  // So that what is at that point of the window stays there.
  #to(scale, clientX, clientY) {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    const x = clientX === undefined ? 0 : clientX - left - width / 2;
    const y = clientY === undefined ? 0 : clientY - top - height / 2;
    const now = Math.min(MOST, Math.max(1, scale));
    this.#x = x - ((x - this.#x) * now) / this.#scale;
    this.#y = y - ((y - this.#y) * now) / this.#scale;
    this.#scale = now;
    this.#bound(width, height);
    this.#draw();
  }

  #bound(width, height) {
    const { naturalWidth, naturalHeight } = this.image;
    const fit = Math.min(width / naturalWidth, height / naturalHeight) || 1;
    const most = (whole, part) => Math.max(0, (part * fit * this.#scale - whole) / 2);
    const [mostX, mostY] = [most(width, naturalWidth), most(height, naturalHeight)];
    this.#x = Math.min(mostX, Math.max(-mostX, this.#x));
    this.#y = Math.min(mostY, Math.max(-mostY, this.#y));
  }

  #draw(transform) {
    this.stage.classList.toggle('large', this.isZoomed);
    this.image.style.transform = transform ?? (this.isZoomed ? `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})` : '');
  }

  #toggle(x, y) {
    if (this.isZoomed) this.reset();
    else this.#to(DOUBLE, x, y);
  }

  // Fingers

  #down(down) {
    if (this.#isPageZoomed || down.button > 0 || this.#fingers.size > 1) return;
    this.#fingers.set(down.pointerId, { x: down.clientX, y: down.clientY });
    if (this.isZoomed || down.pointerType !== 'mouse') this.stage.setPointerCapture(down.pointerId);
    this.#begin();
  }

  // From where the fingers are now.
  #begin() {
    const [one, two] = [...this.#fingers.values()];
    const isPinch = Boolean(two);
    this.#start = one && {
      ...one, isPinch, hadTwo: isPinch || Boolean(this.#start?.hadTwo), scale: this.#scale, left: this.#x, top: this.#y,
      ...(isPinch && { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2, apart: Math.hypot(one.x - two.x, one.y - two.y) }),
    };
  }

  #move(move) {
    const finger = this.#fingers.get(move.pointerId);
    if (!finger || !this.#start) return;
    Object.assign(finger, { x: move.clientX, y: move.clientY });
    const start = this.#start;
    const [one, two] = [...this.#fingers.values()];
    const at = two ? { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 } : one;
    if (two) {
      [this.#scale, this.#x, this.#y] = [start.scale, start.left + at.x - start.x, start.top + at.y - start.y];
      this.#to((start.scale * Math.hypot(one.x - two.x, one.y - two.y)) / start.apart, at.x, at.y);
    } else if (this.isZoomed) {
      [this.#x, this.#y] = [start.left + at.x - start.x, start.top + at.y - start.y];
      this.#to(this.#scale);
    } else if (move.pointerType !== 'mouse' && !start.hadTwo) {
      const x = at.x - start.x;
      const y = Math.max(0, at.y - start.y);
      this.#draw(Math.abs(x) > y ? `translateX(${x}px)` : `translateY(${y}px) scale(${1 - y / 2500})`);
    }
  }

  #up(up) {
    this.#isMouse = up.pointerType === 'mouse';
    const start = this.#start;
    const wasKnown = this.#fingers.has(up.pointerId);
    this.#end(up, true);
    if (!start || !wasKnown || start.hadTwo) return;
    const x = up.clientX - start.x;
    const y = up.clientY - start.y;
    if (Math.hypot(x, y) < 8) return this.#tap(up);
    if (this.isZoomed || up.pointerType === 'mouse') return;
    if (Math.abs(x) > 50 && Math.abs(x) > Math.abs(y)) this.around.turn(x < 0 ? 1 : -1);
    else if (y > 90) this.around.close();
    else this.reset();
  }

  #end(up, isWhole) {
    this.#fingers.delete(up.pointerId);
    const hadTwo = this.#start?.hadTwo;
    this.#begin();
    if (this.#start) this.#start.hadTwo = hadTwo;
    if (!isWhole && !this.isZoomed) this.reset();
  }

  // Browsers tell of a double click of the mouse; of one of fingers some do, and some do not.
  #tap(up) {
    if (up.pointerType === 'mouse') return up.target === this.stage && !this.isZoomed && this.around.close();
    const { at, x, y } = this.#tapped;
    const isSecond = up.timeStamp - at < SOON && Math.hypot(up.clientX - x, up.clientY - y) < 40;
    this.#tapped = { at: isSecond ? 0 : up.timeStamp, x: up.clientX, y: up.clientY };
    if (isSecond) this.#toggle(up.clientX, up.clientY);
  }
}
