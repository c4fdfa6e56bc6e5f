import { useState } from 'preact/hooks';
import { applyTheme, nextTheme, storedTheme } from '../live/theme.js';

const GLYPHS = { system: '◐', light: '☀', dark: '☾' } as const;

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  const turn = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" class="button button-quiet" onClick={turn} aria-label={`Colours: ${theme}. Change`}>
      <span aria-hidden="true">{GLYPHS[theme]}</span>
      <span class="wide-only">{theme}</span>
    </button>
  );
}
