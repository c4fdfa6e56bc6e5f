/** A server of 500 requests a second, offered ten times that: what a gate makes of it. Run: node survive-a-flood.js */
import {
  ConcurrencyLimiter,
  type Criticality,
  fixedLimit,
  Gate,
  OverloadAdvice,
  QueuePressure,
  SeededRandom,
  Thresholds,
  type Ticket,
} from 'plimsoll/core';

const SERVICE_MS = 2;
const random = new SeededRandom(1);
const thresholds = new Thresholds();
const queuePressure = new QueuePressure({}, thresholds);
const counts: Record<Criticality, { offered: number; served: number }> = {
  CRITICAL_PLUS: { offered: 0, served: 0 },
  CRITICAL: { offered: 0, served: 0 },
  SHEDDABLE_PLUS: { offered: 0, served: 0 },
  SHEDDABLE: { offered: 0, served: 0 },
};
const gate = new Gate(
  {
    signal: queuePressure,
    thresholds,
    queuePressure,
    limiter: new ConcurrencyLimiter(fixedLimit(1)),
    advice: new OverloadAdvice(),
  },
  () => {}, // who is evicted or expires is not served; nothing else to do here
);

let running: Ticket | undefined;
let doneMs = 0;
for (let now = 0; now < 10_000; now += 0.2) {
  if (running !== undefined && now >= doneMs) {
    gate.finish(running, false, SERVICE_MS / 1_000, now);
    counts[running.criticality].served++;
    running = undefined;
  }
  const draw = random.next();
  const criticality =
    draw < 0.03 ? 'CRITICAL_PLUS' : draw < 0.08 ? 'CRITICAL' : draw < 0.4 ? 'SHEDDABLE_PLUS' : 'SHEDDABLE';
  counts[criticality].offered++;
  gate.arrive(
    { criticality, customer: 'web', deadlineMs: now + 1_000, attempt: 1, order: random.next() },
    now,
  );
  if (running === undefined) {
    running = gate.take(now);
    doneMs = now + SERVICE_MS;
  }
}

for (const [criticality, { offered, served }] of Object.entries(counts)) {
  console.log(criticality.padEnd(15), `${served} of ${offered} served`);
}
