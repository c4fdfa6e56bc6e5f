/** What takes two columns of a terminal: East Asian Width W and F (UAX #11), and what is drawn as an emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** An emoji by this mark behind it (U+FE0F), though not by itself: ⚠️. */
const MADE_EMOJI = /\p{Emoji}\ufe0f/u;
/** Marks with nothing below them, joiners. */
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]*$/u;
const ASCII = /^[\x20-\x7e]*$/;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How many columns of a terminal a text takes: a customer may be called 東京, and the next column still begins where it should. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of characters.segment(text)) width += characterWidth(segment);
  return width;
}

function characterWidth(character: string): number {
  if (WIDE.test(character) || MADE_EMOJI.test(character)) return 2;
  return NO_WIDTH.test(character) ? 0 : 1;
}

/** As much of a text as fits; one that is half in and half out is out. */
export function firstColumns(text: string, width: number): string {
  if (ASCII.test(text)) return text.slice(0, Math.max(0, width));
  let taken = '';
  let room = width;
  for (const { segment } of characters.segment(text)) {
    room -= characterWidth(segment);
    if (room < 0) break;
    taken += segment;
  }
  return taken;
}

/** To the left of so many columns. */
export function padRight(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** To the right of so many columns. */
export function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}
