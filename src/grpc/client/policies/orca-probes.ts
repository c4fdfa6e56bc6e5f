import type { Backend, Environment, LoadReport, Probing } from '../../../core/index.js';
import { decodeLoadReportMessage, ProtoWriter } from '../../../wire/index.js';
import { CANCELLED } from '../status-codes.js';
import { type Channel, COMPLETE, type Grpc } from './grpc-api.js';
import type { Link } from './link.js';

/** gRFC A51: the out-of-band service of ORCA. */
const METHOD = '/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics';
const UNIMPLEMENTED = 12;
/** How often a client without calls looks whether a probe is due; the policy decides. */
const IDLE_MS = 250;
/** A backend that does not know the service is asked again after so long: it may have been replaced. */
const DEAF_MS = 60_000;

/** `report_interval` of a millisecond: some servers send the first report after it, others at once. */
const REQUEST = new ProtoWriter().message(1, new ProtoWriter().uint(2, 1_000_000)).finish();

/**
 * Asks backends for Prequal: on the connection that their calls go over it opens a stream of load reports, reads the first,
 * and cancels.
 */
export class OrcaProbes {
  readonly #grpc: Grpc;
  readonly #probing: Probing;
  readonly #environment: Environment;
  readonly #linkOf: (backend: Backend) => Link | undefined;
  readonly #deafUntilMs = new WeakMap<Link, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #asking = new Set<ReturnType<Channel['createCall']>>();

  constructor(
    grpc: Grpc,
    probing: Probing,
    environment: Environment,
    linkOf: (backend: Backend) => Link | undefined,
  ) {
    this.#grpc = grpc;
    this.#probing = probing;
    this.#environment = environment;
    this.#linkOf = linkOf;
    this.#timer = setInterval(() => this.send(environment.monotonicMs()), IDLE_MS).unref();
  }

  /** All that are due. */
  send(now: number): void {
    const probing = this.#probing;
    for (let backend = probing.nextProbe(now); backend !== undefined; backend = probing.nextProbe(now)) {
      const link = this.#linkOf(backend);
      if (link !== undefined && !(now < (this.#deafUntilMs.get(link) ?? 0))) this.#ask(backend, link);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const call of this.#asking) call.cancelWithStatus(CANCELLED, 'nobody asks any more');
  }

  /**
   * By the channel itself, without a client of grpc-js: that would tell of a call that is over as soon as it has begun (its time was
   * up, the connection gone) by an error event before anybody can listen to it, and so end the process.
   */
  #ask(backend: Backend, link: Link): void {
    const deadline = this.#environment.wallMs() + this.#probing.timeoutMs;
    const call = this.#channelOf(link)?.createCall(METHOD, deadline, null, null, null);
    if (call === undefined) return;
    this.#asking.add(call);
    const end = (report: LoadReport | undefined) => {
      if (!this.#asking.delete(call)) return;
      const now = this.#environment.monotonicMs();
      if (report === undefined) this.#probing.onFailure(backend, now);
      else this.#probing.onAnswer(backend, report, now);
    };
    call.start(new this.#grpc.Metadata(), {
      onReceiveMetadata: () => {},
      onReceiveMessage: (message: Buffer | null) => {
        if (message === null) return;
        end(decodeLoadReportMessage(message) ?? {});
        call.cancelWithStatus(CANCELLED, 'one report is enough');
      },
      onReceiveStatus: ({ code }) => {
        if (code === UNIMPLEMENTED) this.#deafUntilMs.set(link, this.#environment.monotonicMs() + DEAF_MS);
        end(undefined);
      },
    });
    call.startRead();
    call.sendMessageWithContext({}, REQUEST);
    call.halfClose();
  }

  /** The channel of this one connection; it belongs to the connection, and is not closed. */
  #channelOf(link: Link): Channel | undefined {
    const metadata = new this.#grpc.Metadata();
    const { pickResultType, subchannel } = link.pick({ metadata, extraPickInfo: {} });
    return pickResultType === COMPLETE ? subchannel?.getChannel() : undefined;
  }
}
