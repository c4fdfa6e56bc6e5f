/** As the system has it, or as the reader of this page wants it. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'plimsoll-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const listeners = new Set<() => void>();

export function storedTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  localStorage.setItem(KEY, theme);
  for (const listener of listeners) listener();
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
}

/** Until the returned function is called: colours have changed. Canvases do not follow style sheets by themselves. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}
