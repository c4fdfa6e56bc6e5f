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

/** Shapes repeat what colours say, where points are few enough to be seen. */
export const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'] as const;

/** Everything that is not data stays in the background. */
export const INK = {
  title: '#1a1a1a',
  text: '#4d4d4d',
  caption: '#6b6b6b',
  axis: '#8c8c8c',
  grid: '#e5e5e5',
  mark: '#4d4d4d',
  paper: '#ffffff',
} as const;

export const FONT_FAMILY = 'Helvetica, Arial, sans-serif';

export const FONT_SIZE = { title: 17, caption: 13, panel: 13, text: 12, small: 11 } as const;

export interface Look {
  readonly colour: string;
  readonly symbol: (typeof SYMBOLS)[number];
  /** When there are more names than colours, the second round is dashed. */
  readonly isDashed: boolean;
}

/** A name looks the same in all panels of a figure. `skip` leaves colours out that are used for something else. */
export function looksOf(names: readonly string[], skip = 0): ReadonlyMap<string, Look> {
  const looks = new Map<string, Look>();
  for (const name of new Set(names)) {
    const at = looks.size + skip;
    looks.set(name, {
      colour: SERIES_COLOURS[at % SERIES_COLOURS.length]!,
      symbol: SYMBOLS[at % SYMBOLS.length]!,
      isDashed: at >= SERIES_COLOURS.length,
    });
  }
  return looks;
}
