import { type IncomingHttpHeaders, request } from 'node:http';

export interface AdminAnswered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: () => Record<string, unknown>;
}

export interface AdminAsked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What lets something be changed. */
export const MARKER = { 'x-plimsoll-admin': '1' };

/** By `node:http`, which sends hosts as they are. */
export function askAdmin(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: AdminAsked = {},
): Promise<AdminAnswered> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, text, json: () => JSON.parse(text) }),
      );
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
