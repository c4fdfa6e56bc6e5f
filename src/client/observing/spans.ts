import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Outcome } from '../../core/index.js';
import { BAGGAGE_HEADER, baggageWith } from '../../wire/index.js';
import type { ObservedRequest } from './observer.js';

/** What OpenTelemetry's conventions ask of a protocol's spans. */
export interface SpanConvention<R, A, H> {
  begin(request: R, attempt: A, count: number): { readonly name: string; readonly attributes: Attributes };
  /** `error`: what kind of one it was, undefined for none. */
  end(attempt: A, outcome: Outcome): { readonly attributes: Attributes; readonly error: string | undefined };
  /** In place of the one that is there. */
  put(headers: H, name: string, value: string): void;
}

/** A span for each attempt, a retry being one of its own. */
export class AttemptSpans<R extends ObservedRequest, A extends object, H> {
  readonly #convention: SpanConvention<R, A, H>;
  readonly #spans = new WeakMap<A, Span>();
  /** What each request is made in. A retry comes from the end of an attempt, which is nobody's context. */
  readonly #contexts = new WeakMap<R, Context>();
  #isOn = false;
  #asked = 0;

  constructor(convention: SpanConvention<R, A, H>) {
    this.#convention = convention;
  }

  /** Whether anybody traces. A tracer that is installed later is found some requests later, and none costs nothing. */
  get isOn(): boolean {
    if (this.#asked++ % ASKED_EVERY === 0) this.#isOn = isTraced();
    return this.#isOn;
  }

  start(request: R, attempt: A, count: number, headers: H): void {
    const made = (count > 1 ? this.#contexts.get(request) : undefined) ?? context.active();
    this.#contexts.set(request, made);
    const { name, attributes } = this.#convention.begin(request, attempt, count);
    const span = trace.getTracer('plimsoll').startSpan(name, { kind: SpanKind.CLIENT, attributes }, made);
    this.#spans.set(attempt, span);
    propagation.inject(trace.setSpan(made, span), headers, {
      set: (into, field, value) =>
        this.#convention.put(
          into,
          field,
          // Its baggage knows nothing of ours.
          field === BAGGAGE_HEADER ? baggageWith(value, request.criticality) : value,
        ),
    });
  }

  end(attempt: A, outcome: Outcome): void {
    const span = this.#spans.get(attempt);
    if (span === undefined) return;
    const { attributes, error } = this.#convention.end(attempt, outcome);
    span.setAttributes(attributes);
    if (error !== undefined) {
      span.setAttribute('error.type', error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** To ask costs 0.2 µs. */
const ASKED_EVERY = 16;

function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('plimsoll') !== undefined;
}
