/**
 * RFC 7541, appendix B, as the length in bits of the code of each byte: the codes themselves follow, for they are given in the
 * order of length, then byte. 256 is the end, whose beginning fills the last byte up.
 */
const LENGTHS = [
  '13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28',
  '6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10',
  '13 6 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6',
  '15 5 6 5 6 5 6 6 6 5 7 7 6 6 6 5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28',
  '20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24',
  '22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23',
  '26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27',
  '20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26',
  '30',
]
  .join(' ')
  .split(' ')
  .map(Number);

const END = 256;
const LONGEST = 30;

/** Two cells a node: where a 0 and where a 1 leads. A byte is ~byte; 0 is nowhere, since nothing leads to the root. */
const TREE = treeOf(LENGTHS);

function treeOf(lengths: readonly number[]): Int16Array {
  const cells = [0, 0];
  let code = 0;
  for (let length = 1; length <= LONGEST; length++) {
    for (const [byte, its] of lengths.entries()) if (its === length) put(cells, code++, length, byte);
    code *= 2;
  }
  return Int16Array.from(cells);
}

function put(cells: number[], code: number, length: number, byte: number): void {
  let at = 0;
  for (let bit = length - 1; bit > 0; bit--) {
    const cell = at + ((code >> bit) & 1);
    if (cells[cell] === 0) cells[cell] = cells.push(0, 0) - 2;
    at = cells[cell]!;
  }
  cells[at + (code & 1)] = ~byte;
}

/** Bytes from `start` to `end` as text of one letter a byte; a RangeError when it is no such code. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string {
  const letters: number[] = [];
  let at = 0;
  let isFill = true;
  let depth = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1;
      if (one === 0) isFill = false;
      depth++;
      const next = TREE[at + one]!;
      if (next >= 0) {
        at = next;
        continue;
      }
      if (~next === END) throw new RangeError('a text has its own end in it');
      letters.push(~next);
      at = 0;
      depth = 0;
      isFill = true;
    }
  }
  // RFC 7541, 5.2: what is left must be ones, and less than a byte of them.
  if (depth > 7 || !isFill) throw new RangeError('a text ends within a letter');
  return String.fromCharCode(...letters);
}
