import { useEffect, useState } from 'preact/hooks';
import { onThemeChange } from '../live/theme.js';

export type PaperTheme = 'light' | 'dark';

/** What the page looks like now: as its reader wants it, else as the system has it. */
export function usePaperTheme(): PaperTheme {
  const [theme, setTheme] = useState(paperTheme);
  useEffect(() => onThemeChange(() => setTheme(paperTheme())), []);
  return theme;
}

function paperTheme(): PaperTheme {
  const wanted = document.documentElement.dataset['theme'];
  if (wanted === 'light' || wanted === 'dark') return wanted;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
