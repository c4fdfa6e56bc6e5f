const KEY = 'plimsoll-unlocked';

type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Whether whoever has this tab has said that they mean to change things, of the demo with this token. */
export function isUnlocked(token: string | undefined, place: Place): boolean {
  return token !== undefined && place.getItem(KEY) === token;
}

/** Until the tab is closed, or it is locked again. Another demo at the same address has another token, and asks anew. */
export function setUnlocked(token: string, isMeant: boolean, place: Place): void {
  if (isMeant) place.setItem(KEY, token);
  else place.removeItem(KEY);
}
