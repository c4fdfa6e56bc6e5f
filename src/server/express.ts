import { createServer, type RequestListener, type Server } from 'node:http';
import type { Guard } from './guard.js';
import type { ProtectOptions } from './handling.js';

/**
 * A guarded server for an Express application: `guardExpress(guard, app).listen(8080)` instead of `app.listen(8080)`.
 *
 * Not a middleware: before the first one runs, Express has given request and response new prototypes and parsed the
 * query. Here a request that is refused never reaches the application. Errors that the application handles stay its
 * business; what it lets through is answered with 500.
 */
export function guardExpress(guard: Guard, app: RequestListener, options?: ProtectOptions): Server {
  const server = createServer(guard.protect(app, options));
  guard.attach(server);
  return server;
}
