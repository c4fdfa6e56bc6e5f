import { readFile } from 'node:fs/promises';
import { type ApiRequest, fetchChunks, fetchText } from './api-request.js';
import { MOST_SLICES } from './endpoint-slices.js';
import { type CheckedOptions, POD_FILES } from './options.js';
import type { Slice } from './slice.js';
import { parseListPage } from './watch-event.js';

/** As Kubernetes' own clients ask: a page of a few megabytes at most. */
const PAGE_SLICES = 500;

/** The API server ends a watch after so long, and clients spread anew over API servers. */
const WATCH_SECONDS = 300;

export interface SliceList {
  readonly slices: readonly Slice[];
  readonly resourceVersion: string;
}

/** The two questions about the slices of one service. */
export class SliceApi {
  readonly #options: CheckedOptions;

  constructor(options: CheckedOptions) {
    this.#options = options;
  }

  async namespace(): Promise<string> {
    return this.#options.namespace ?? (await readFile(`${POD_FILES}/namespace`, 'utf8')).trim();
  }

  /** All slices, page by page; as many as are of use. */
  async list(signal: AbortSignal): Promise<SliceList> {
    const slices: Slice[] = [];
    for (let from = ''; ; ) {
      const query = { limit: String(PAGE_SLICES), ...(from === '' ? {} : { continue: from }) };
      const page = parseListPage(await fetchText(await this.#request(query, signal)));
      if (page === undefined) throw new Error('the answer is no list of EndpointSlices');
      slices.push(...page.slices);
      if (page.next === undefined) return { slices, resourceVersion: page.resourceVersion };
      // Pages without end too: each has to bring something.
      if (slices.length >= MOST_SLICES || page.slices.length === 0) {
        throw new Error(`there are more than ${MOST_SLICES} EndpointSlices, or pages without any`);
      }
      from = page.next;
    }
  }

  /** What has changed since, as bytes. */
  async *watch(resourceVersion: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const query = {
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(WATCH_SECONDS),
    };
    yield* fetchChunks(await this.#request(query, signal), this.#options.watchIdleMs);
  }

  async #request(query: Record<string, string>, signal: AbortSignal): Promise<ApiRequest> {
    const { apiServer, service, timeoutMs, token, tokenFile, ca, caFile } = this.#options;
    const path = `/apis/discovery.k8s.io/v1/namespaces/${encodeURIComponent(await this.namespace())}/endpointslices`;
    const search = new URLSearchParams({
      labelSelector: `kubernetes.io/service-name=${service}`,
      ...query,
    });
    return {
      url: `${apiServer}${path}?${search}`,
      token: tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim(),
      ca: caFile === undefined ? ca : await readFile(caFile, 'utf8'),
      timeoutMs,
      signal,
    };
  }
}
