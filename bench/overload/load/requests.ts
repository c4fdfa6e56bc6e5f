/** Answered at once, by every server under test: it costs no work. */
export const GREETING_PATH = '/greeting';

export function buildRequest(path: string, criticality?: string): Buffer {
  const header = criticality === undefined ? '' : `x-request-criticality: ${criticality}\r\n`;
  // About as many headers as a service of one's own sends.
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\nuser-agent: bench\r\n${header}\r\n`,
    'latin1',
  );
}
