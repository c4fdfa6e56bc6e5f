import type { Client, ClientReadableStream } from '@grpc/grpc-js';
import type { Backend, Environment, LoadReport, Probing } from '../../../core/index.js';
import { decodeLoadReportMessage, ProtoWriter } from '../../../wire/index.js';
import { COMPLETE, type Grpc } from './grpc-api.js';
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
  readonly #clients = new WeakMap<object, Client>();
  readonly #timer: NodeJS.Timeout;
  readonly #asking = new Set<ClientReadableStream<LoadReport | undefined>>();

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
    for (const stream of this.#asking) stream.cancel();
  }

  #ask(backend: Backend, link: Link): void {
    const client = this.#clientOf(link);
    if (client === undefined) return;
    const deadline = this.#environment.wallMs() + this.#probing.timeoutMs;
    const stream = client.makeServerStreamRequest(
      METHOD,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => decodeLoadReportMessage(bytes) ?? {},
      REQUEST,
      { deadline },
    );
    this.#asking.add(stream);
    let isOver = false;
    const end = (report: LoadReport | undefined) => {
      if (isOver) return;
      isOver = true;
      this.#asking.delete(stream);
      const now = this.#environment.monotonicMs();
      if (report === undefined) this.#probing.onFailure(backend, now);
      else this.#probing.onAnswer(backend, report, now);
    };
    stream.on('data', (report: LoadReport) => {
      end(report);
      stream.cancel();
    });
    stream.on('error', (error: Error & { code?: number }) => {
      if (error.code === UNIMPLEMENTED)
        this.#deafUntilMs.set(link, this.#environment.monotonicMs() + DEAF_MS);
      end(undefined);
    });
    stream.on('end', () => end(undefined));
  }

  #clientOf(link: Link): Client | undefined {
    const { Client, Metadata, credentials } = this.#grpc;
    const { pickResultType, subchannel } = link.pick({ metadata: new Metadata(), extraPickInfo: {} });
    if (pickResultType !== COMPLETE || subchannel === null) return undefined;
    // The channel of this one connection; it belongs to the connection, and is not closed.
    const channelOverride = subchannel.getChannel();
    let client = this.#clients.get(channelOverride);
    if (client === undefined) {
      client = new Client('unused', credentials.createInsecure(), { channelOverride });
      this.#clients.set(channelOverride, client);
    }
    return client;
  }
}
