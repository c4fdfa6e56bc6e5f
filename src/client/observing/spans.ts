import {
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
import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';

/**
 * A span for each attempt, as OpenTelemetry's conventions for HTTP clients have it: a retry is a span of its own, with
 * `http.request.resend_count`.
 */
export class AttemptSpans {
  readonly #spans = new WeakMap<Attempt, Span>();

  #isOn = false;
  #asked = 0;

  /** Whether anybody traces. A tracer that is installed later is found some requests later, and none costs nothing. */
  get isOn(): boolean {
    if (this.#asked++ % ASKED_EVERY === 0) this.#isOn = isTraced();
    return this.#isOn;
  }

  start({ sending, criticality }: Exchange, attempt: Attempt, count: number, headers: string[]): void {
    const { url } = attempt.link;
    const method = sending.method;
    const span = trace.getTracer('plimsoll').startSpan(method, {
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        'server.address': url.hostname,
        'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
        'url.full': `${url.origin}${sending.path}`,
        ...(count > 1 ? { 'http.request.resend_count': count - 1 } : {}),
      },
    });
    this.#spans.set(attempt, span);
    propagation.inject(trace.setSpan(context.active(), span), headers, {
      // Its baggage knows nothing of ours.
      set: (into, name, value) =>
        put(into, name, name === BAGGAGE_HEADER ? baggageWith(value, criticality) : value),
    });
  }

  end(attempt: Attempt, outcome: Outcome): void {
    const span = this.#spans.get(attempt);
    if (span === undefined) return;
    const { status } = attempt;
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (outcome !== 'answered' && outcome !== 'aborted') {
      span.setAttribute('error.type', status === undefined ? outcome : String(status));
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

/** In place of the one that is there. */
function put(headers: string[], name: string, value: string): void {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]!.toLowerCase() !== name.toLowerCase()) continue;
    headers[i + 1] = value;
    return;
  }
  headers.push(name, value);
}
