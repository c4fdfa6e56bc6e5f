/**
 * Okabe and Ito, "Color Universal Design" (2008): told apart with every common kind of colour blindness, and of
 * different lightness, so that most survive a grey print. Without its yellow, which is too faint for a line on white.
 */
export const SERIES_COLOURS = [
  '#0072b2', // blue
  '#d55e00', // vermilion
  '#009e73', // bluish green
  '#e69f00', // orange
  '#cc79a7', // reddish purple
  '#56b4e9', // sky blue
  '#000000',
] as const;

/** The same on a dark page: lightened where they would be lost, and the yellow, which is not too faint there. */
const SERIES_COLOURS_ON_DARK = [
  '#56b4e9', // sky blue
  '#ff8c42', // vermilion, lightened
  '#2fc79b', // bluish green, lightened
  '#f0e442', // yellow
  '#e09ac2', // reddish purple, lightened
  '#4f93e0', // blue, lightened
  '#f5f5f5',
] as const;

/** Shapes repeat what colours say, where points are few enough to be seen. */
export const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'] as const;

/** The colours of a figure. Everything that is not data stays in the background. */
export interface Palette {
  readonly title: string;
  readonly text: string;
  readonly caption: string;
  readonly axis: string;
  readonly grid: string;
  readonly mark: string;
  readonly paper: string;
  readonly series: readonly string[];
}

/** For reports, which are printed. */
export const ON_WHITE: Palette = {
  title: '#1a1a1a',
  text: '#4d4d4d',
  caption: '#6b6b6b',
  axis: '#8c8c8c',
  grid: '#e5e5e5',
  mark: '#4d4d4d',
  paper: '#ffffff',
  series: SERIES_COLOURS,
};

/** For the dark page of the dashboard: the paper is the colour of its panels. */
export const ON_DARK: Palette = {
  title: '#e3e9ef',
  text: '#b9c4cf',
  caption: '#97a5b3',
  axis: '#6f7f8f',
  grid: '#26313c',
  mark: '#b9c4cf',
  paper: '#141b22',
  series: SERIES_COLOURS_ON_DARK,
};

export const FONT_FAMILY = 'Helvetica, Arial, sans-serif';

export const FONT_SIZE = { title: 17, caption: 13, panel: 13, text: 12, small: 11 } as const;

export interface Look {
  readonly colour: string;
  readonly symbol: (typeof SYMBOLS)[number];
  /** When there are more names than colours, the second round is dashed. */
  readonly isDashed: boolean;
}

export type Looks = ReadonlyMap<string, Look>;

/** A name looks the same in all panels of a figure. `skip` leaves colours out that are used for something else. */
export function looksOf(names: readonly string[], colours: readonly string[], skip = 0): Looks {
  const looks = new Map<string, Look>();
  for (const name of new Set(names)) {
    const at = looks.size + skip;
    looks.set(name, {
      colour: colours[at % colours.length]!,
      symbol: SYMBOLS[at % SYMBOLS.length]!,
      isDashed: at >= colours.length,
    });
  }
  return looks;
}
