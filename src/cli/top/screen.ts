/** What a screen writes to: a terminal, or a test. */
export interface ScreenTarget {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

const ESCAPE = '\u001b[';
const ENTER = `${ESCAPE}?1049h${ESCAPE}?25l`;
const LEAVE = `${ESCAPE}?25h${ESCAPE}?1049l`;
const HOME = `${ESCAPE}H`;
const REST_OF_LINE = `${ESCAPE}K`;
const REST_OF_SCREEN = `${ESCAPE}J`;

/** Draws lines over those before, on a screen of its own: what was on the terminal is there again when it closes. */
export class Screen {
  readonly #target: ScreenTarget;
  #isOpen = false;

  constructor(target: ScreenTarget) {
    this.#target = target;
  }

  /** As wide and high as it is now. A terminal that does not know says 0. */
  get width(): number {
    return this.#target.columns > 0 ? this.#target.columns : 80;
  }

  open(): void {
    this.#isOpen = true;
    this.#target.write(ENTER);
  }

  /** Whole at once, so that nothing flickers; what does not fit below is left out. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    const rows = this.#target.rows > 0 ? this.#target.rows : lines.length;
    const shown = lines.slice(0, rows).map((line) => `${line}${REST_OF_LINE}`);
    this.#target.write(`${HOME}${shown.join('\r\n')}${REST_OF_SCREEN}`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#target.write(LEAVE);
  }
}
