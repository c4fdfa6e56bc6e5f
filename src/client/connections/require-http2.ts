import type { buildConnector } from 'undici';

type Connector = ReturnType<typeof buildConnector>;

/**
 * Connections that speak HTTP/2, or none. Without TLS nothing is agreed on (RFC 9113, 3.3): they are marked as if it had
 * been, for whoever looks.
 */
export function requireHttp2(connector: Connector): Connector {
  return (options, callback) =>
    connector(options, (...args: Parameters<typeof callback>) => {
      const [error, socket] = args;
      if (error !== null || socket === null) callback(error ?? new Error('no connection'), null);
      else if (options.protocol !== 'https:') callback(null, Object.assign(socket, { alpnProtocol: 'h2' }));
      else if ((socket as { alpnProtocol?: unknown }).alpnProtocol === 'h2') callback(null, socket);
      else {
        socket.on('error', () => {}).destroy();
        callback(Object.assign(new Error('the backend does not speak HTTP/2'), { code: 'EPROTO' }), null);
      }
    });
}
