import { expect, it } from 'vitest';
import { looksOf, ON_DARK, ON_WHITE, SERIES_COLOURS, SYMBOLS } from './palette.js';

it('gives a name one look, wherever it is seen', () => {
  const looks = looksOf(['a', 'b', 'a', 'c'], SERIES_COLOURS);
  expect([...looks.keys()]).toEqual(['a', 'b', 'c']);
  expect(looks.get('b')).toEqual({ colour: SERIES_COLOURS[1], symbol: SYMBOLS[1], isDashed: false });
});

it('leaves out colours that mean something else', () => {
  expect(looksOf(['a'], SERIES_COLOURS, 1).get('a')!.colour).toBe(SERIES_COLOURS[1]);
});

it('starts again with dashes when there are no more colours', () => {
  const names = Array.from({ length: 9 }, (_, at) => `line ${at}`);
  const looks = looksOf(names, SERIES_COLOURS);
  expect(looks.get('line 6')).toMatchObject({ colour: SERIES_COLOURS[6], isDashed: false });
  expect(looks.get('line 7')).toMatchObject({ colour: SERIES_COLOURS[0], isDashed: true });
});

/** Luminance as a grey print shows it, ITU-R BT.709. */
function lightness(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

it('is dark enough for a line on white, and light enough for one on a dark page', () => {
  for (const colour of ON_WHITE.series) expect(lightness(colour)).toBeLessThan(0.7);
  for (const colour of ON_DARK.series) expect(lightness(colour)).toBeGreaterThan(0.4);
  expect(ON_DARK.series).toHaveLength(ON_WHITE.series.length);
});
