import type { Attempt } from '../dispatch/attempt.js';
import type { Exchange } from '../dispatch/exchange.js';
import type { SpanConvention } from './spans.js';

/** As the conventions for HTTP clients have it: a retry has `http.request.resend_count`. */
export const HTTP_SPANS: SpanConvention<Exchange, Attempt, string[]> = {
  begin({ sending }, { link }, count) {
    const { url } = link;
    const { method, path } = sending;
    return {
      name: method,
      attributes: {
        'http.request.method': method,
        'server.address': url.hostname,
        'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
        'url.full': `${url.origin}${path}`,
        ...(count > 1 ? { 'http.request.resend_count': count - 1 } : {}),
      },
    };
  },

  end({ status }, outcome) {
    const isError = outcome !== 'answered' && outcome !== 'aborted';
    return {
      attributes: status === undefined ? {} : { 'http.response.status_code': status },
      error: isError ? String(status ?? outcome) : undefined,
    };
  },

  put(headers, name, value) {
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i]!.toLowerCase() !== name.toLowerCase()) continue;
      headers[i + 1] = value;
      return;
    }
    headers.push(name, value);
  },
};
