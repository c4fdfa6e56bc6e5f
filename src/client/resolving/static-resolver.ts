import { BackendNews } from './backend-news.js';
import { checkBackends } from './backends.js';
import type { ResolvedBackend, Resolver } from './resolver.js';

/** Backends that are known and stay: `staticResolver(['http://10.0.0.1:8080', 'http://10.0.0.2:8080'])`. */
export function staticResolver(given: readonly (string | ResolvedBackend)[]): Resolver {
  const backends = checkBackends('backends', given);
  const news = new BackendNews('static');
  return {
    name: 'static',
    start(listener) {
      news.listen(listener);
      news.tell(backends);
    },
    refresh() {},
    close: () => news.close(),
  };
}
