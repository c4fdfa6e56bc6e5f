import { expect, it } from 'vitest';
import { Screen } from './screen.js';

function screenOf(columns: number, rows: number) {
  const written: string[] = [];
  return { written, screen: new Screen({ write: (text) => written.push(text), columns, rows }) };
}

it('draws over what it has drawn, and gives the terminal back once', () => {
  const { written, screen } = screenOf(80, 2);
  screen.draw(['not yet']);
  screen.open();
  screen.draw(['a', 'b', 'too much']);
  screen.close();
  screen.close();
  screen.draw(['over']);
  expect(written).toEqual([
    '\u001b[?1049h\u001b[?25l',
    '\u001b[Ha\u001b[K\r\nb\u001b[K\u001b[J',
    '\u001b[?25h\u001b[?1049l',
  ]);
});

it('does with terminals that know nothing of themselves', () => {
  const { written, screen } = screenOf(0, 0);
  screen.open();
  screen.draw(['a', 'b']);
  expect(screen.width).toBe(80);
  expect(written[1]).toContain('b');
});
