import type { ServiceDefinition } from '@grpc/grpc-js';
import type { GateState } from '../../core/index.js';
import {
  decodeHealthRequest,
  encodeHealthList,
  encodeHealthResponse,
  GRPC_HEALTH_SERVICE,
  GRPC_STATUS,
  SERVING_STATUS,
} from '../../wire/index.js';
import { type Boxed, bytes, methodOf } from './definition.js';
import { LongStreams, type StreamingCall } from './long-streams.js';
import type { AnyCall, Callback } from './method.js';

const serviceOf = ({ request }: { readonly request: unknown }) => (request as Boxed<string>).value;

/** Whose health is told. */
export interface HealthSubject {
  readonly state: GateState;
  onStateChange(listener: (state: GateState) => void): () => void;
}

const path = (name: string) => `/${GRPC_HEALTH_SERVICE}/${name}`;

export const HEALTH_DEFINITION: ServiceDefinition = {
  check: methodOf(path('Check'), decodeHealthRequest, encodeHealthResponse),
  watch: methodOf(path('Watch'), decodeHealthRequest, encodeHealthResponse, true),
  list: methodOf(path('List'), bytes, bytes),
};

export const HEALTH_PATHS: readonly string[] = Object.values(HEALTH_DEFINITION).map(({ path }) => path);

/** `grpc.health.v1` for a guard: a lame duck is NOT_SERVING, to the server as a whole and to each of its services. */
export class HealthService {
  readonly #subject: HealthSubject;
  readonly #services: () => ReadonlySet<string>;
  readonly #streams: LongStreams;
  #stopListening: (() => void) | undefined = undefined;

  constructor(subject: HealthSubject, services: () => ReadonlySet<string>, maxWatchers: number) {
    this.#subject = subject;
    this.#services = services;
    this.#streams = new LongStreams(maxWatchers);
  }

  get implementation() {
    return {
      check: (call: AnyCall, callback: Callback) => this.#check(serviceOf(call), callback),
      watch: (call: StreamingCall) => this.#watch(call),
      list: (_call: AnyCall, callback: Callback) => this.#list(callback),
    };
  }

  close(): void {
    this.#stopListening?.();
    this.#streams.endAll();
  }

  get #status(): number {
    return this.#subject.state === 'ready' ? SERVING_STATUS.serving : SERVING_STATUS.notServing;
  }

  #statusOf(service: string): number {
    const isKnown = service === '' || this.#services().has(service);
    return isKnown ? this.#status : SERVING_STATUS.serviceUnknown;
  }

  #check(service: string, callback: Callback): void {
    const status = this.#statusOf(service);
    if (status === SERVING_STATUS.serviceUnknown)
      callback({ code: GRPC_STATUS.notFound, details: 'unknown service' });
    else callback(null, status);
  }

  #list(callback: Callback): void {
    const status = this.#status;
    const all = ['', ...this.#services()].map((service): [string, number] => [service, status]);
    callback(null, encodeHealthList(all));
  }

  #watch(call: StreamingCall): void {
    if (!this.#streams.add(call)) return;
    this.#stopListening ??= this.#subject.onStateChange(() => this.#tellAll());
    call.write(this.#statusOf(serviceOf(call)));
  }

  #tellAll(): void {
    for (const call of this.#streams) call.write(this.#statusOf(serviceOf(call)));
  }
}
