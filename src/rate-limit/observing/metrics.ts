import { type Attributes, createNoopMeter, type Meter, metrics } from '@opentelemetry/api';
import { type MetricSource, SourceSum } from './source-sum.js';

interface Registered {
  readonly sum: SourceSum;
  /** Undefined while there is nothing to observe. */
  unregister: (() => void) | undefined;
}

/** By provider: whoever installs another one begins anew. */
const registered = new WeakMap<object, Registered>();

/** Metrics of this one from now on, until the returned function is called. Free when nobody collects. */
export function observeSource(source: MetricSource): () => void {
  const provider = metrics.getMeterProvider();
  const meter = provider.getMeter('plimsoll');
  // Without OpenTelemetry a limiter that nobody closes must not be kept alive by us.
  if (meter === createNoopMeter()) return () => {};
  const known = registered.get(provider) ?? { sum: new SourceSum(), unregister: undefined };
  registered.set(provider, known);
  known.sum.add(source);
  known.unregister ??= registerSum(meter, known.sum);
  return () => {
    known.sum.remove(source);
    if (known.sum.size > 0) return;
    known.unregister?.();
    known.unregister = undefined;
  };
}

/** What all of these sources say together, to one meter, until the returned function is called. */
export function registerSum(meter: Meter, sum: SourceSum): () => void {
  const decisions = meter.createObservableCounter('plimsoll.ratelimit.decisions', {
    description: 'Decisions by rule and outcome',
    unit: '{decision}',
  });
  const undecided = meter.createObservableCounter('plimsoll.ratelimit.undecided', {
    description: 'Of all decisions, those made without the store',
    unit: '{decision}',
  });
  const failures = meter.createObservableCounter('plimsoll.ratelimit.store.failures', {
    description: 'Calls of the store that failed, or were not answered in time',
    unit: '{call}',
  });
  const waiting = meter.createObservableGauge('plimsoll.ratelimit.waiting', {
    description: 'Requests that wait for their turn',
    unit: '{request}',
  });
  const instruments = [decisions, undecided, failures, waiting];
  const observe = (result: {
    observe(metric: (typeof instruments)[number], value: number, attributes: Attributes): void;
  }) => {
    for (const { rule, ...totals } of sum.rules()) {
      result.observe(decisions, totals.allowed, { rule, outcome: 'allowed' });
      result.observe(decisions, totals.refused, { rule, outcome: 'refused' });
      result.observe(decisions, totals.shadowRefused, { rule, outcome: 'shadow_refused' });
      if (totals.queued !== undefined) result.observe(decisions, totals.queued, { rule, outcome: 'queued' });
      result.observe(undecided, totals.undecided, { rule });
      if (totals.waiting !== undefined) result.observe(waiting, totals.waiting, { rule });
    }
    for (const [kind, count] of Object.entries(sum.store())) result.observe(failures, count, { kind });
  };
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}
