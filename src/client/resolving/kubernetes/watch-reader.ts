import { ApiError } from './api-error.js';
import type { EndpointSlices } from './endpoint-slices.js';
import { LineSplitter } from './line-splitter.js';
import type { WatchCourse } from './watch-course.js';
import { parseWatchEvent } from './watch-event.js';

/** A slice of 1,000 endpoints, the most there can be, has about 500 KB. */
const MOST_LINE_BYTES = 1_000_000;

/**
 * Reads one watch: bytes in, changes to the slices out. A line that was cut off by the end of the watch has not been
 * seen, and the next watch brings it again. A line that cannot be read is an event lost: everything is listed again.
 */
export class WatchReader {
  readonly #slices: EndpointSlices;
  readonly #course: WatchCourse;
  readonly #splitter = new LineSplitter(MOST_LINE_BYTES);

  constructor(slices: EndpointSlices, course: WatchCourse) {
    this.#slices = slices;
    this.#course = course;
  }

  /** Throws when the watch is of no use any more; what came before that has been applied. */
  read(chunk: Uint8Array): void {
    for (const line of this.#splitter.push(chunk)) this.#readLine(line);
    if (this.#splitter.tooLong > 0) this.#lose(`a line has more than ${MOST_LINE_BYTES} bytes`);
  }

  #readLine(line: string): void {
    const event = parseWatchEvent(line);
    if (event.kind === 'garbage') this.#lose('a line is no event');
    if (event.kind === 'error') throw new ApiError(event.status, event.message);
    if (event.kind === 'put') this.#slices.put(event.slice);
    if (event.kind === 'delete') this.#slices.delete(event.slice.name);
    if (event.kind === 'bookmark') this.#course.saw(event.resourceVersion);
    if (event.kind === 'put' || event.kind === 'delete') this.#course.saw(event.slice.resourceVersion);
  }

  #lose(reason: string): never {
    this.#course.lose();
    throw new Error(`watch: ${reason}`);
  }
}
