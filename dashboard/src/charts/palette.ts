/** Colours of the style sheet, as a canvas needs them. */
export type Palette = Readonly<Record<ColourName, string>>;

const NAMES = [
  'ink',
  'ink-soft',
  'line',
  'panel',
  'good',
  'warn',
  'bad',
  'accent',
  'plain',
  'critical-plus',
  'critical',
  'sheddable-plus',
  'sheddable',
  'violet',
] as const;

export type ColourName = (typeof NAMES)[number];

/** Computed by the browser: a custom property by itself is only text, `light-dark(…)` for one. */
export function readPalette(): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const palette = Object.fromEntries(
    NAMES.map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  ) as Record<ColourName, string>;
  probe.remove();
  return palette;
}
