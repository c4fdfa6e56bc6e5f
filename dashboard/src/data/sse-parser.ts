export interface SseMessage {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/**
 * Messages of a stream of events (WHATWG HTML, 9.2.6), which comes in pieces that may end anywhere. Written out because
 * a browser's own EventSource cannot send a token.
 */
export class SseParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  /** What the next reader of this stream says that it has seen. */
  lastId = '';

  push(text: string): SseMessage[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    const messages: SseMessage[] = [];
    for (const line of lines) {
      if (line !== '') this.#field(line);
      else if (this.#data.length > 0) messages.push(this.#end());
      else this.#event = '';
    }
    return messages;
  }

  /** A comment has no name before its colon, and is none of these. */
  #field(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.lastId = value;
  }

  #end(): SseMessage {
    const message = { event: this.#event || 'message', id: this.lastId, data: this.#data.join('\n') };
    this.#event = '';
    this.#data = [];
    return message;
  }
}
