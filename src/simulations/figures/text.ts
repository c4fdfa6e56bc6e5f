import { groupThousands } from '../report/numbers.js';

/** A thin space. */
const THIN = '\u2009';

/** Widths in Helvetica, as parts of the font's size: nobody measures text where nothing is drawn. */
const WIDTHS: readonly (readonly [pattern: RegExp, width: number])[] = [
  [/[ijl.,:;|'!\u2009]/, 0.25],
  [/[ frt()[\]/-]/, 0.31],
  [/[mw]/, 0.78],
  [/[MW%—…]/, 0.89],
  [/[A-Z]/, 0.69],
];

export function textWidth(text: string, fontSize: number): number {
  let width = 0;
  for (const character of text) width += WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? 0.56;
  return width * fontSize;
}

/** Lines that are no wider than that; a word that is wider stays whole. */
export function wrapText(text: string, fontSize: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && textWidth(longer, fontSize) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The labels of an axis. */
export function tickLabel(value: number): string {
  if (Math.abs(value) >= 1e9) return `${shortest(value / 1e9)}${THIN}G`;
  if (Math.abs(value) >= 1e6) return `${shortest(value / 1e6)}${THIN}M`;
  return shortest(value);
}

function shortest(value: number): string {
  const text = String(Number(value.toPrecision(6)));
  return groupThousands(text.replace('-', '−'), THIN);
}
