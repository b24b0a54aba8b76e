// Short sounds of stones, off until somebody wants them. The browser remembers the wish.

const WISH = "inarow-sound";

export class Sound {
  /** @type {AudioContext | undefined} */ context;

  constructor() {
    try {
      this.isOn = localStorage.getItem(WISH) === "on";
    } catch {
      this.isOn = false;
    }
  }

  toggle() {
    this.isOn = !this.isOn;
    try {
      localStorage.setItem(WISH, this.isOn ? "on" : "off");
    } catch {
      // It is remembered for this page only.
    }
    this.stone();
    return this.isOn;
  }

  stone() {
    this.tone(220, 0.07);
  }

  end(/** @type {boolean} */ isWon) {
    for (const [i, pitch] of (isWon ? [392, 494, 587] : [330, 262]).entries()) this.tone(pitch, 0.16, 0.25 + 0.13 * i);
  }

  tone(/** @type {number} */ pitch, /** @type {number} */ length, wait = 0) {
    if (!this.isOn || typeof AudioContext === "undefined") return;
    this.context ??= new AudioContext();
    const [start, tone, volume] = [this.context.currentTime + wait, this.context.createOscillator(), this.context.createGain()];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(this.context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}
