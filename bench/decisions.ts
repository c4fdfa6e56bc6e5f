import {
  AdaptiveThrottle,
  CpuRate,
  CRITICALITIES,
  type Criticality,
  ExecutorLoad,
  highestOf,
  InFlightSignal,
  MemoryPressure,
  QueuePressure,
  QuotaEnforcement,
  RunQueue,
  refusalOrder,
  SeededRandom,
  Thresholds,
} from 'plimsoll/core';
import { measure } from './measure.js';
import type { Check, Report } from './report.js';

const CUSTOMERS = Array.from({ length: 100 }, (_, index) => `customer-${index}`);

/** A look-up, a decision and its outcome; every fourth request is refused by the backend. */
function throttle(): (count: number) => void {
  const random = new SeededRandom(1);
  const made = new AdaptiveThrottle(() => random.next());
  let now = 0;
  return (count) => {
    for (let index = 0; index < count; index++) {
      if ((index & 1_023) === 0) now++;
      const stats = made.statsOf('service', 'customer', 'CRITICAL');
      if (made.admit(stats, now)) made.settle(stats, (index & 3) === 0 ? 'rejected' : 'accepted', now);
    }
  };
}

/** Five signals read, and the thresholds asked, at a utilization where some are refused. */
function admission(): (count: number) => void {
  const thresholds = new Thresholds();
  const cpu = new CpuRate();
  const executor = new ExecutorLoad();
  const memory = new MemoryPressure(1e9);
  const inFlight = new InFlightSignal(100);
  const pressure = new QueuePressure(undefined, thresholds);
  const signal = highestOf([cpu, executor, memory, inFlight, pressure]);
  const random = new SeededRandom(1);
  const orders = Float64Array.from({ length: 1_024 }, () => random.next());
  let now = 0;
  inFlight.set(105);
  return (count) => {
    for (let index = 0; index < count; index++) {
      if ((index & 1_023) === 0) {
        now++;
        cpu.observe(now * 0.7, now);
        executor.setRunnable(now & 3, now);
        memory.observe(5e8, now);
        pressure.observe(15, now);
      }
      const criticality = CRITICALITIES[index & 3]!;
      const verdict = thresholds.decide(criticality, signal.utilization(now), orders[index & 1_023]!);
      pressure.onDecision(criticality, verdict !== 'refuse');
    }
  };
}

interface Waiting {
  readonly criticality: Criticality;
  readonly customer: string;
  readonly deadlineMs: number;
  queuePlace: object | undefined;
}

/** One in and one out, with so many waiting: four criticalities, a hundred customers. */
function runQueue(waiting: number): (count: number) => void {
  const options = { maxWaitMs: 1e9, tightWaitMs: 1e9, maxWaiting: waiting + 1 };
  const queue = new RunQueue<Waiting>(() => {
    throw new Error('nothing should be dropped');
  }, options);
  const random = new SeededRandom(1);
  const make = (): Waiting => ({
    criticality: CRITICALITIES[random.below(4)]!,
    customer: CUSTOMERS[random.below(CUSTOMERS.length)]!,
    deadlineMs: Number.POSITIVE_INFINITY,
    queuePlace: undefined,
  });
  for (let index = 0; index < waiting; index++) queue.push(make(), 0);
  let spare = make();
  let now = 0;
  return (count) => {
    for (let index = 0; index < count; index++) {
      if ((index & 1_023) === 0) now++;
      queue.push(spare, now);
      spare = queue.take(now)!;
    }
  };
}

function quota(): (count: number) => void {
  const enforcement = new QuotaEnforcement({ everyoneElse: { perSecond: 100 } });
  let now = 0;
  return (count) => {
    for (let index = 0; index < count; index++) {
      if ((index & 1_023) === 0) now++;
      const customer = CUSTOMERS[index % 100]!;
      if (enforcement.admit(customer, 'CRITICAL', 0.5, now) === 'admit') {
        enforcement.charge(customer, 'CRITICAL', 0.001, now);
      }
    }
  };
}

function order(): (count: number) => void {
  const ids = Array.from({ length: 64 }, (_, index) =>
    index.toString(16).padStart(32, '4bf92f3577b34da6a3ce929d0e0e4736'),
  );
  let sum = 0;
  return (count) => {
    for (let index = 0; index < count; index++) sum += refusalOrder(ids[index & 63]!);
    if (sum < 0) throw new Error('orders are not negative');
  };
}

/** Decisions per second that each has to reach on one core; undefined: measured, without a promise. */
const DECISIONS: [name: string, make: () => (count: number) => void, floor: number | undefined][] = [
  ['throttle: look-up, admit, settle', throttle, 10e6],
  ['admission: five signals and thresholds', admission, 5e6],
  ['run queue: push and take, 10,000 waiting', () => runQueue(10_000), 2e6],
  ['run queue: push and take, 100 waiting', () => runQueue(100), undefined],
  ['quota: admit and charge, 100 customers', quota, undefined],
  ['refusal order of a trace id', order, undefined],
];

export function benchDecisions(): Report {
  const rows = DECISIONS.map(([name, make]) => measure(name, make()));
  const checks = DECISIONS.flatMap(([name, , floor], index): Check[] => {
    if (floor === undefined) return [];
    const { perSecond } = rows[index]!;
    return [{ name, value: Math.round(perSecond), bound: `>= ${floor}`, holds: perSecond >= floor }];
  });
  return { bench: 'decisions', rows, checks };
}
