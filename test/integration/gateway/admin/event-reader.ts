import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { until } from '../../client/until.js';

export interface Told {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** Somebody who reads `/events`. */
export class EventReader {
  readonly told: Told[] = [];
  readonly status: number;
  isOver = false;
  text = '';
  readonly #asked: ClientRequest;

  private constructor(asked: ClientRequest, answer: IncomingMessage) {
    this.#asked = asked;
    this.status = answer.statusCode!;
    let rest = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk.slice(0, 1_000);
      const messages = (rest + chunk).split('\n\n');
      rest = messages.pop()!;
      for (const message of messages) this.#read(message);
    });
    answer.on('error', () => {});
    answer.on('close', () => {
      this.isOver = true;
    });
  }

  static open(port: number, path = '/events', headers: Record<string, string> = {}): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) =>
        resolve(new EventReader(asked, answer)),
      );
      asked.on('error', reject);
      asked.end();
    });
  }

  #read(message: string): void {
    const fields = new Map(message.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const event = fields.get('event');
    if (event === undefined) return;
    this.told.push({ event, id: fields.get('id')!, data: JSON.parse(fields.get('data')!) });
  }

  count(event: string): number {
    return this.told.filter((each) => each.event === event).length;
  }

  async hears(event: string, times = 1): Promise<Told> {
    await until(`${times} × ${event}`, () => this.count(event) >= times, 15_000);
    return this.told.filter((each) => each.event === event)[times - 1]!;
  }

  close(): void {
    this.#asked.destroy();
  }
}
