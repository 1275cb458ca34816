// A sound or a vibration when something fails, for a phone in a pocket: only where it was asked for.

const wishes = {};
let audio;

// Browsers let a page sound and shake after a touch or a key only; before that they complain.
const isAllowed = () => navigator.userActivation?.hasBeenActive ?? true;

// Who opens the page anew has switched it on, and would hear nothing.
function showHint() {
  document.getElementById('alarm-hint').hidden = isAllowed() || !Object.values(wishes).some((box) => box.checked);
}

function remember(name) {
  const box = document.getElementById(name);
  wishes[name] = box;
  try {
    box.checked = localStorage.getItem(`hud-${name}`) === 'yes';
  } catch {
    // A browser that keeps nothing has the wish until the page is closed.
    box.checked = false;
  }
  box.addEventListener('change', () => {
    try {
      localStorage.setItem(`hud-${name}`, box.checked ? 'yes' : 'no');
    } catch {
      return;
    } finally {
      if (box.checked) name === 'sound' ? beep() : navigator.vibrate?.(200);
    }
  });
}

function beep() {
  audio ??= new AudioContext();
  audio.resume();
  for (const [at, pitch] of [[0, 880], [0.18, 660], [0.36, 880]]) {
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.25, audio.currentTime + at);
    loud.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.16);
    tone.connect(loud).connect(audio.destination);
    tone.start(audio.currentTime + at);
    tone.stop(audio.currentTime + at + 0.17);
  }
}

export function prepare() {
  remember('sound');
  remember('vibration');
  document.getElementById('vibration-wish').hidden = !navigator.vibrate;
  for (const kind of ['pointerup', 'keyup']) document.addEventListener(kind, showHint);
  showHint();
}

export function alarm() {
  if (!isAllowed()) return;
  if (wishes.sound.checked) beep();
  if (wishes.vibration.checked) navigator.vibrate?.([200, 100, 200]);
}
