import { describe, expect, it } from 'vitest';
import { ON_DARK, ON_WHITE } from '../../simulations/figures/palette.js';
import { REPORT } from '../../simulations/figures/plan.js';
import {
  GROUPED_BARS,
  LATENCY_BY_LOAD,
  MANY_BARS,
  MIXED,
  THIN_LINES,
} from '../../simulations/figures/samples.contract.js';
import { drawFigures } from './draw.js';

const ALL = [MANY_BARS, THIN_LINES, GROUPED_BARS, LATENCY_BY_LOAD, MIXED];

describe('a drawing', () => {
  const svg = drawFigures(ALL);

  it('is one SVG of all figures, the same for the same data', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="960" height="\d+" /);
    expect(svg.match(/<svg/g)).toHaveLength(1);
    expect(svg.match(/<g transform="translate\(0 \d+\)">/g)).toHaveLength(5);
    expect(drawFigures(ALL)).toBe(svg);
  });

  it('says what the data say', () => {
    for (const { title } of ALL.slice(0, 4)) expect(svg).toContain(`>${title}</text>`);
    for (const text of [
      'connections',
      'CPU, 1 = reserved',
      'p99 latency, ms',
      'prequal',
      'deadline',
      'at least',
    ])
      expect(svg).toContain(`>${text}</text>`);
  });

  it('has a bar for each value and a line for each backend', () => {
    const bars = drawFigures([MANY_BARS]).match(/<path d="[^"]*" fill="#0072b2"/g);
    expect(bars).toHaveLength(300);
    const lines = drawFigures([THIN_LINES]).match(/stroke="#0072b2"[^>]*stroke-opacity="0.24"/g);
    expect(lines).toHaveLength(150);
  });

  it('has no ids twice, and refers to those that it has', () => {
    const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);
    const used = [...svg.matchAll(/url\(#([^)]+)\)/g)].map((match) => match[1]!);
    expect(new Set(ids).size).toBe(ids.length);
    expect(used.filter((id) => !ids.includes(id))).toEqual([]);
    expect(used.length).toBeGreaterThan(0);
  });

  it('is of shapes and words only: nothing moves, nothing is fetched, nothing is clicked', () => {
    expect(svg).not.toMatch(/<(script|style|animate|image|foreignObject)|pointer-events|ecmeta|class=|href=/);
  });

  it('is on white paper, or on what it is told', () => {
    expect(svg).toContain(`fill="${ON_WHITE.paper}"`);
    const dark = drawFigures([GROUPED_BARS], { ...REPORT, palette: ON_DARK });
    expect(dark).toContain(`fill="${ON_DARK.paper}"`);
    expect(dark).not.toContain(ON_WHITE.title);
  });

  it('writes any title as text', () => {
    const drawn = drawFigures([{ ...GROUPED_BARS, title: '<b> & "c"', caption: '</svg> zr0-a' }]);
    expect(drawn).toContain('<title>&lt;b&gt; &amp; "c"</title>');
    expect(drawn.match(/<\/svg>/g)).toHaveLength(1);
    expect(drawn).not.toContain('<b>');
    expect(drawn).toContain('zr0-a</text>');
  });
});
