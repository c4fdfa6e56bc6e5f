const BYTES_A_CELL = 8;

/**
 * Cells that a key takes beside its state, by its form: the first is of keys that are kept as strings, the others are of
 * bytes. Up to 15 letters, as all IPv4 addresses and most numbers have, take two; UUIDs and IPv6 addresses five. More would
 * often be more than a string is, as a table may have just grown to more than twice its keys.
 */
export const KEY_CELLS: readonly number[] = [1, 2, 3, 4, 5];
export const TEXT_FORM = 0;
/** One byte says how many there are. */
const MOST_LETTERS = KEY_CELLS.at(-1)! * BYTES_A_CELL - 1;
const FORM_OF = Uint8Array.from({ length: MOST_LETTERS + 1 }, (_, letters) =>
  KEY_CELLS.findIndex((cells, form) => form !== TEXT_FORM && letters < cells * BYTES_A_CELL),
);

/** More letters than fit. */
const NO_BYTES = -1;

/** Keys are the world's: whoever could tell which ones have the same hash could make all ways long. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;

/** By itself, not by way of the key: a class somewhere that extends String makes that five times as slow. */
const { charCodeAt } = String.prototype;

/**
 * A key as numbers. Most keys are short and of letters below 256: these are kept as bytes beside their states, which are read
 * next anyway. A string lies somewhere else in memory, and to wait for it is most of what a lookup among many keys takes.
 *
 * The bytes are how many letters there are, plus one, and the letters. The first word is thus never 0, and two keys are the
 * same if as many words are as the first one calls for. Other keys have two words, one that no bytes have and their hash: who is
 * the same by those has yet to be compared as a string.
 */
class SoughtKey {
  readonly #words = new Int32Array((MOST_LETTERS + 1) / Int32Array.BYTES_PER_ELEMENT);
  readonly #bytes = new Uint8Array(this.#words.buffer);
  #count = 1;
  /** A place in KEY_CELLS. */
  form = TEXT_FORM;
  hash = 0;

  read(key: string): void {
    const { length } = key;
    if (length > MOST_LETTERS) {
      this.#readLong(key);
      return;
    }
    const words = this.#words;
    const bytes = this.#bytes;
    // What comes after the letters is no part of the key, but of its last word.
    words[length >>> 2] = 0;
    bytes[0] = length + 1;
    let hash = SEED;
    let all = 0;
    for (let at = 0; at < length; at++) {
      const letter = charCodeAt.call(key, at);
      all |= letter;
      bytes[at + 1] = letter;
      hash = mixed(hash, letter);
    }
    this.hash = finished(hash);
    this.form = FORM_OF[length]!;
    this.#count = (length >>> 2) + 1;
    if (all > 255) this.#isText();
  }

  isAt(words: Int32Array, at: number): boolean {
    const own = this.#words;
    for (let i = 0; i < this.#count; i++) if (words[at + i] !== own[i]) return false;
    return true;
  }

  write(words: Int32Array, at: number): void {
    for (let i = 0; i < this.#count; i++) words[at + i] = this.#words[i]!;
  }

  #readLong(key: string): void {
    let hash = SEED;
    for (let at = 0; at < key.length; at++) hash = mixed(hash, charCodeAt.call(key, at));
    this.hash = finished(hash);
    this.#isText();
  }

  #isText(): void {
    this.form = TEXT_FORM;
    this.#words[0] = NO_BYTES;
    this.#words[1] = this.hash;
    this.#count = 2;
  }
}

/**
 * The key that is looked for or added: what was read last. One for all tables, as nothing of it is needed from one call to
 * the next, and engines know where the only one of its kind lies.
 */
export const sought = new SoughtKey();

const copiedWords = new Int32Array((MOST_LETTERS + 1) / Int32Array.BYTES_PER_ELEMENT);
const copiedBytes = new Uint8Array(copiedWords.buffer);

/** The hash of a key that was written, while another one is sought. */
export function hashAt(words: Int32Array, at: number, form: number): number {
  if (form === TEXT_FORM) return words[at + 1]!;
  copiedWords[0] = words[at]!;
  const length = copiedBytes[0]! - 1;
  for (let i = 1; i <= length >>> 2; i++) copiedWords[i] = words[at + i]!;
  let hash = SEED;
  for (let i = 1; i <= length; i++) hash = mixed(hash, copiedBytes[i]!);
  return finished(hash);
}

/** Jenkins' one-at-a-time, seeded, as engines have had it for their own tables of strings. */
function mixed(before: number, letter: number): number {
  let hash = (before + letter) | 0;
  hash = (hash + (hash << 10)) | 0;
  return hash ^ (hash >>> 6);
}

function finished(before: number): number {
  let hash = (before + (before << 3)) | 0;
  hash ^= hash >>> 11;
  return (hash + (hash << 15)) | 0;
}
