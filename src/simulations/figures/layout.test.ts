import { describe, expect, it } from 'vitest';
import { type Contents, FIGURE_WIDTH, layoutFigure, panelsPerRow, panelWidth } from './layout.js';

const below = (count: number) => Array.from({ length: count }, () => ({ extraHeight: 0, hasName: true }));

const CONTENTS: Contents = {
  width: FIGURE_WIDTH,
  title: 'A title',
  caption: 'A caption.',
  legend: [],
  hasPanelTitles: false,
  valueLabelWidth: 30,
  markLabelWidth: 0,
  below: below(1),
};

const layout = (changes: Partial<Contents> = {}) => layoutFigure({ ...CONTENTS, ...changes });

describe('panels', () => {
  it('stand beside each other up to three, then in rows', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((panels) => panelsPerRow(panels, FIGURE_WIDTH))).toEqual([
      1, 1, 2, 3, 2, 3, 3, 3,
    ]);
  });

  it('stand below each other where a page is narrow, and are no higher than they are wide', () => {
    expect([1, 2, 3, 4, 6].map((panels) => panelsPerRow(panels, 700))).toEqual([1, 2, 2, 2, 2]);
    expect([1, 2, 3, 4, 6].map((panels) => panelsPerRow(panels, 358))).toEqual([1, 1, 1, 1, 1]);
    expect(panelsPerRow(3, 100)).toBe(1);
    const { panels } = layout({ width: 358, below: below(2) });
    expect(panels[1]!.x).toBe(panels[0]!.x);
    expect(panels[0]!.plot.x + panels[0]!.plot.width).toBeCloseTo(350);
    expect(panels[0]!.plot.height).toBeLessThan(panels[0]!.plot.width);
  });

  it('fill the figure from margin to margin', () => {
    for (const count of [1, 2, 3, 6]) {
      const { panels } = layout({ below: below(count) });
      const last = panels[panelsPerRow(count, FIGURE_WIDTH) - 1]!.plot;
      expect(last.x + last.width).toBeCloseTo(FIGURE_WIDTH - 24);
      expect(panels[0]!.plot.x).toBe(24 + 30);
    }
  });

  it('leave room for what is beside them', () => {
    const { panels } = layout({ below: below(3), markLabelWidth: 50 });
    expect(panels[0]!.plot.width).toBeCloseTo(panelWidth(3, FIGURE_WIDTH) - 80);
    expect(panels[1]!.x - panels[0]!.x).toBeCloseTo(panelWidth(3, FIGURE_WIDTH) + 24);
  });

  it('do not cover each other', () => {
    const { panels, height } = layout({ below: below(5), hasPanelTitles: true });
    const [first, , , fourth] = panels;
    expect(fourth!.x).toBe(first!.x);
    expect(fourth!.titleY).toBeGreaterThan(first!.plot.y + first!.plot.height + 40);
    expect(height).toBeGreaterThan(fourth!.plot.y + fourth!.plot.height + 40);
  });

  it('have as much below as the row needs', () => {
    const rows = (extraHeight: number) =>
      layout({ below: [{ extraHeight, hasName: true }, ...below(4)] }).panels[3]!.titleY;
    expect(rows(33) - rows(0)).toBe(33);
    const named = layout().height;
    expect(named - layout({ below: [{ extraHeight: 0, hasName: false }] }).height).toBe(20);
  });
});

describe('what is above the panels', () => {
  it('moves them down', () => {
    const top = (changes: Partial<Contents>) => layout(changes).panels[0]!.plot.y;
    const usual = top({});
    expect(top({ hasPanelTitles: true }) - usual).toBe(20);
    expect(top({ caption: '' }) - usual).toBe(-18);
    expect(top({ caption: 'word '.repeat(60) }) - usual).toBeGreaterThanOrEqual(18);
    expect(top({ title: 'word '.repeat(30) }) - usual).toBe(24);
    expect(top({ legend: ['a', 'b'] }) - usual).toBe(22);
    expect(top({ legend: Array.from({ length: 12 }, (_, at) => `a long name ${at}`) }) - usual).toBe(44);
  });
});
