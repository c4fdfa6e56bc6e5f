/** Fewer, and V8 has not begun to watch what the loop looks up: 300 are enough. */
const LOOKS = 1_000;

/**
 * ioredis 6 has a class that extends String. With such a class V8 moves the methods of all strings into a dictionary, and
 * inlines none of them any more: to go over the letters of a key or a header takes five times as long, here and in all
 * other code of the process. They move back when something is looked up, often enough, in a string that is an object.
 */
export function quickenStrings(): void {
  const text: string = Object('text');
  for (let looks = 0; looks < LOOKS; looks++) text.charCodeAt(0);
}
