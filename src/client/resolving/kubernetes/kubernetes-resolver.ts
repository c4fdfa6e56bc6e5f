import { elapsedMs } from '../../../core/index.js';
import { BackendNews } from '../backend-news.js';
import type { Resolver, ResolverListener } from '../resolver.js';
import { ApiError } from './api-error.js';
import { EndpointSlices } from './endpoint-slices.js';
import { type CheckedOptions, checkKubernetesOptions, type KubernetesResolverOptions } from './options.js';
import { SliceApi } from './slice-api.js';
import { WatchCourse } from './watch-course.js';
import { WatchReader } from './watch-reader.js';

/**
 * The pods of a Service, as Kubernetes tells of them: `kubernetesResolver({ service: 'orders' })`. Pods that terminate
 * are lame ducks at once, before they say so themselves. The service account needs `list` and `watch` on
 * `endpointslices` of `discovery.k8s.io`. While the API server is away, what it said last holds.
 */
export function kubernetesResolver(
  given: Partial<KubernetesResolverOptions> & Pick<KubernetesResolverOptions, 'service'>,
): Resolver {
  return new KubernetesResolver(checkKubernetesOptions(given, process.env));
}

class KubernetesResolver implements Resolver {
  readonly name = 'kubernetes';
  readonly #options: CheckedOptions;
  readonly #api: SliceApi;
  readonly #slices: EndpointSlices;
  readonly #course: WatchCourse;
  readonly #news: BackendNews;
  /** Ends the request that is under way. */
  #abort = new AbortController();
  #isStarted = false;
  #isWatching = false;
  #host: string | undefined;
  #lastProblem: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #endPause: () => void = () => {};

  constructor(options: CheckedOptions) {
    this.#options = options;
    this.#api = new SliceApi(options);
    this.#slices = new EndpointSlices(options);
    this.#course = new WatchCourse(options, Math.random);
    this.#news = new BackendNews(`kubernetes ${options.service}`);
    this.#host = options.host;
  }

  start(listener: ResolverListener): void {
    this.#news.listen(listener);
    this.#isStarted = true;
    void this.#run();
  }

  refresh(): void {
    if (!this.#isStarted || !this.#course.tryRefresh(performance.now())) return;
    // A list that is under way is as good as the next one.
    if (this.#isWatching) this.#abort.abort();
  }

  close(): void {
    this.#news.close();
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.#endPause();
  }

  async #run(): Promise<void> {
    while (!this.#news.isClosed) {
      const waitMs = await this.#step();
      if (waitMs > 0 && !this.#news.isClosed) await this.#pause(waitMs);
    }
  }

  /** One list or one watch. How long to wait after it. */
  async #step(): Promise<number> {
    this.#abort = new AbortController();
    const { resourceVersion } = this.#course;
    try {
      if (resourceVersion !== undefined) return await this.#watch(resourceVersion);
      await this.#list();
      return 0;
    } catch (error) {
      // By `refresh` or `close`.
      if (this.#abort.signal.aborted) return 0;
      this.#news.fail(error);
      return this.#course.failed(error instanceof ApiError ? error.status : undefined);
    } finally {
      this.#isWatching = false;
    }
  }

  async #list(): Promise<void> {
    this.#course.beginList(performance.now());
    const { slices, resourceVersion } = await this.#api.list(this.#abort.signal);
    this.#host ??= await this.#hostForTls();
    this.#slices.replaceAll(slices);
    this.#course.listed(resourceVersion);
    this.#tell();
  }

  async #watch(resourceVersion: string): Promise<number> {
    this.#isWatching = true;
    const openedMs = performance.now();
    const reader = new WatchReader(this.#slices, this.#course);
    for await (const chunk of this.#api.watch(resourceVersion, this.#abort.signal)) {
      try {
        reader.read(chunk);
      } finally {
        this.#tell();
      }
    }
    return this.#course.ended(elapsedMs(openedMs, performance.now()));
  }

  /** Certificates name services, not the addresses of pods. */
  async #hostForTls(): Promise<string | undefined> {
    if (this.#options.protocol === 'http:') return undefined;
    return `${this.#options.service}.${await this.#api.namespace()}.svc`;
  }

  #tell(): void {
    const backends = this.#slices.backends(this.#host);
    const { problem } = this.#slices;
    if (problem !== undefined && problem !== this.#lastProblem) this.#news.fail(problem);
    this.#lastProblem = problem;
    // None because no port fits: that is no word of there being none.
    if (problem === undefined || backends.length > 0) this.#news.tell(backends);
  }

  #pause(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#endPause = resolve;
      this.#timer = setTimeout(resolve, waitMs).unref();
    });
  }
}
