/** Which route a request takes, and the path that its backend is asked for. */
export { type Found, isFound, lookUp, type NotFound, type RequestLine, readKnown } from './look-up.js';
export { PathTemplate } from './path-template.js';
export { PrivatePages } from './private-pages.js';
export type { RequestPath } from './request-path.js';
export { Rewrite } from './rewrite.js';
export { RouteTable } from './route-table.js';
