import { atMost } from '../../overload/checks.js';
import type { Report } from '../../report.js';
import { askChild } from '../child.js';
import type { BytesOptions } from '../children/bytes.js';

const KEYS = 1_000_000;
const MOST_BYTES = 120;

/** The sliding log is left out: it keeps every request, and says so. */
const ALGORITHMS = ['gcra', 'fixed-window', 'token-bucket', 'sliding-counter'] as const;

/** What a key takes in memory, whoever sends it. */
export async function measureBytes(): Promise<Report> {
  const rows: { algorithm: string; keys: number; 'bytes a key': number }[] = [];
  for (const algorithm of ALGORITHMS) {
    console.error(`ratelimit: bytes, ${algorithm}`);
    const options: BytesOptions = { algorithm, keys: KEYS };
    rows.push({ algorithm, keys: KEYS, 'bytes a key': Math.round(await askChild<number>('bytes', options)) });
  }
  return {
    bench: 'ratelimit: bytes a key, beside its own text',
    rows,
    checks: rows.map((row) => atMost(`${row.algorithm}: bytes a key`, row['bytes a key'], MOST_BYTES)),
  };
}
