/** Clients that speak HTTP/2: their requests look like those of HTTP/1.1 to everything behind. */
export { ALPN, divert } from './divert.js';
export { Http2Acceptor } from './http2-acceptor.js';
export { http2Limits } from './http2-limits.js';
