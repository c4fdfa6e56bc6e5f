import { type Context, context, propagation, type TextMapPropagator, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach } from 'vitest';

/** The two headers of W3C, as a tracing library writes them. */
const propagator: TextMapPropagator = {
  inject(from: Context, carrier, setter) {
    const span = trace.getSpanContext(from);
    if (span !== undefined)
      setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-0${span.traceFlags}`);
    const baggage = propagation.getBaggage(from)?.getAllEntries() ?? [];
    if (baggage.length > 0)
      setter.set(carrier, 'baggage', baggage.map(([name, { value }]) => `${name}=${value}`).join(','));
  },
  extract: (from) => from,
  fields: () => ['traceparent', 'baggage'],
};

/** What a backend sees of a span. */
export function traceparentOf(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** The SDK of OpenTelemetry during each test: what has ended since its beginning, or since it was last forgotten. */
export class CollectedSpans {
  #exporter = new InMemorySpanExporter();

  /** For the tests of a file. */
  static beforeEach(): CollectedSpans {
    const spans = new CollectedSpans();
    beforeEach(() => spans.#start());
    afterEach(() => {
      trace.disable();
      context.disable();
      propagation.disable();
    });
    return spans;
  }

  get ended(): ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  forget(): void {
    this.#exporter.reset();
  }

  #start(): void {
    this.#exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(this.#exporter)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(propagator);
  }
}
