const KEY = 'plimsoll-token';

/** What is needed of a window, so that tests need none. */
export interface TokenPlace {
  readonly location: { readonly hash: string; readonly pathname: string; readonly search: string };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
}

/**
 * From the fragment `#token=…`, which no server is ever sent, or as it was kept for this tab. It is taken out of the address
 * bar: addresses are copied, shown on walls and kept in a history.
 */
export function takeToken({ location, history, sessionStorage }: TokenPlace): string | undefined {
  // No form has written it: a plus is a plus, as in tokens of base64.
  const fragment = new URLSearchParams(location.hash.replace(/^#/, '').replaceAll('+', '%2B'));
  const given = fragment.get('token');
  if (given !== null) {
    history.replaceState(null, '', `${location.pathname}${location.search}`);
    if (given !== '') sessionStorage.setItem(KEY, given);
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function keepToken(token: string, { sessionStorage }: Pick<TokenPlace, 'sessionStorage'>): void {
  sessionStorage.setItem(KEY, token);
}
