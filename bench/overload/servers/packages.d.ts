// Packages that are measured against, and bring no types of their own.

declare module 'toobusy-js' {
  function toobusy(): boolean;
  export default toobusy;
}

declare module 'overload-protection' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  function protect(framework: 'http'): (request: IncomingMessage, response: ServerResponse) => boolean;
  export default protect;
}
