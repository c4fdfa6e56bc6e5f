import { reasonOf } from './event-stream.js';

/** The admin port is one level above the page, whatever stands before both. */
export function adminUrl(path: string): string {
  return new URL(`../${path}`, document.baseURI).href;
}

/** Resolves with what went wrong, as a sentence; undefined when it was done. */
export async function change(path: string, token: string | undefined): Promise<string | undefined> {
  try {
    const headers: Record<string, string> = { 'x-plimsoll-admin': '1' };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    const answer = await fetch(adminUrl(path), { method: 'POST', headers });
    return answer.ok ? undefined : await reasonOf(answer);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
