const ROUNDS = 7;
const ROUND_MS = 250;
/**
 * Calls `work(count)`, which must do `count` operations, for some rounds of a fixed time after a warm-up. Rounds are
 * sorted and the median taken: a neighbour on the machine disturbs some of them, not the middle one.
 */
export function measure(name, work) {
  const batch = warmUp(work);
  const rates = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let done = 0;
    do {
      work(batch);
      done += batch;
    } while (performance.now() - start < ROUND_MS);
    rates.push((done / (performance.now() - start)) * 1_000);
  }
  rates.sort((a, b) => a - b);
  const [worst, median, best] = [rates[0], rates[ROUNDS >> 1], rates.at(-1)];
  return { name, perSecond: median, best, worst, bytesPerOperation: allocated(work, batch) };
}
/** Runs until compiled, and finds a batch of about 10 ms. */
function warmUp(work) {
  let batch = 1_000;
  const start = performance.now();
  while (performance.now() - start < 500) {
    const before = performance.now();
    work(batch);
    if (performance.now() - before < 5) batch *= 2;
  }
  return batch;
}
/** Heap growth over few enough operations that no collection falls between. */
function allocated(work, batch) {
  const count = Math.min(batch, 10_000);
  const samples = [];
  for (let round = 0; round < 15; round++) {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    work(count);
    samples.push((process.memoryUsage().heapUsed - before) / count);
  }
  samples.sort((a, b) => a - b);
  return Math.max(0, samples[7]);
}
/** Live bytes that `make` needs for each of `count` things. */
export function retained(count, make) {
  const kept = [make()]; // loads code and grows shared tables first
  collectGarbage();
  const before = process.memoryUsage();
  kept.push(make());
  collectGarbage();
  const after = process.memoryUsage();
  const bytes = after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers;
  return kept.length > 0 ? bytes / count : 0;
}
export function collectGarbage() {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('run with --expose-gc');
  gc();
}
