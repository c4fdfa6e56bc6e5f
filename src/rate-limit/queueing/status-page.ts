import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OverflowAnswer, problemAnswer, unavailableAnswer } from './overflow-answers.js';
import { type QueueStatus, statusAnswer } from './queue-status.js';

/** Who can be asked about requests. */
export interface StatusSource {
  status(id: string): Promise<QueueStatus>;
  cancel(id: string): Promise<boolean>;
}

/** Anybody may ask, under no rule. Redis answers so many within a few milliseconds, and others come again. */
const MOST_QUESTIONS = 100;

/** `GET <path>/<id>` says what became of a request, `DELETE` takes it back. */
export class StatusPage {
  readonly #source: StatusSource;
  readonly #path: string;
  #underWay = 0;

  constructor(source: StatusSource, path: string) {
    this.#source = source;
    this.#path = path;
  }

  /** Undefined: it is not about any. */
  async answer(method: string, url: string): Promise<OverflowAnswer | undefined> {
    if (!url.startsWith(`${this.#path}/`)) return undefined;
    if (this.#underWay >= MOST_QUESTIONS) return unavailableAnswer();
    const [id] = url.slice(this.#path.length + 1).split('?', 1) as [string];
    this.#underWay++;
    try {
      return await this.#about(method, id);
    } catch {
      // Redis does not answer, or what it has cannot be read: it says nothing about the request.
      return unavailableAnswer();
    } finally {
      this.#underWay--;
    }
  }

  async #about(method: string, id: string): Promise<OverflowAnswer> {
    if (method === 'GET' || method === 'HEAD') return statusAnswer(id, await this.#source.status(id));
    if (method === 'DELETE') return await cancelled(this.#source, id);
    return problemAnswer(405, 'A queued request can be read and cancelled', ['Allow', 'GET, HEAD, DELETE']);
  }
}

async function cancelled(source: StatusSource, id: string): Promise<OverflowAnswer> {
  if (await source.cancel(id)) return { status: 204, headers: ['Cache-Control', 'no-store'], body: '' };
  const { status } = await source.status(id);
  return status === 'unknown'
    ? problemAnswer(404, 'No such request is queued')
    : problemAnswer(409, `It is too late to cancel: the request is ${status}`);
}

export function writeAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: OverflowAnswer,
): void {
  if (res.headersSent || res.destroyed) return;
  for (let i = 0; i < headers.length; i += 2) res.setHeader(headers[i]!, headers[i + 1]!);
  res.writeHead(status).end(req.method === 'HEAD' ? undefined : body);
}
