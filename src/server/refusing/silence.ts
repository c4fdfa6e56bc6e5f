import type { ServerResponse } from 'node:http';

/**
 * The guard has answered while the handler was at work. What the handler still says is not heard, instead of failing
 * because headers are out: in a listener nobody would catch that, and it would end the process.
 */
export function silence(response: ServerResponse): void {
  const same = () => response;
  Object.assign(response, {
    writeHead: same,
    setHeader: same,
    setHeaders: same,
    appendHeader: same,
    removeHeader: same,
    flushHeaders: same,
    addTrailers: same,
    write: () => false,
    end: (...args: unknown[]) => {
      const callback = args.at(-1);
      if (typeof callback === 'function') process.nextTick(callback as () => void);
      return response;
    },
  });
  // Its answer may still wait for that of an earlier request when the connection breaks.
  response.on('error', () => {});
}
