import { isFields, readSlice, type Slice } from './slice.js';

/** What a line of a watch says. */
export type WatchEvent =
  | { readonly kind: 'put' | 'delete'; readonly slice: Slice }
  /** All up to this version has been told. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }
  /** The watch is over, for a reason; 410: the version it began with is too old. */
  | { readonly kind: 'error'; readonly status: number; readonly message: string }
  /** A type that is not known here. */
  | { readonly kind: 'other' }
  /** No event at all: something may have got lost. */
  | { readonly kind: 'garbage' };

const GARBAGE: WatchEvent = Object.freeze({ kind: 'garbage' });

export function parseWatchEvent(line: string): WatchEvent {
  const event = parseJson(line);
  if (!isFields(event) || typeof event['type'] !== 'string') return GARBAGE;
  const { type, object } = event;
  if (type === 'ERROR') return readError(object);
  if (type === 'BOOKMARK') return readBookmark(object);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return { kind: 'other' };
  const slice = readSlice(object);
  return slice === undefined ? GARBAGE : { kind: type === 'DELETED' ? 'delete' : 'put', slice };
}

function readError(status: unknown): WatchEvent {
  const { code, message } = isFields(status) ? status : {};
  return {
    kind: 'error',
    status: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, 200) : 'the watch failed',
  };
}

function readBookmark(object: unknown): WatchEvent {
  const metadata = isFields(object) ? object['metadata'] : undefined;
  const resourceVersion = isFields(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof resourceVersion === 'string' ? { kind: 'bookmark', resourceVersion } : GARBAGE;
}

/** One page of a list; undefined when it is none. */
export interface ListPage {
  readonly slices: readonly Slice[];
  readonly resourceVersion: string;
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined;
}

export function parseListPage(text: string): ListPage | undefined {
  const list = parseJson(text);
  if (!isFields(list) || !isFields(list['metadata']) || !Array.isArray(list['items'])) return undefined;
  const { resourceVersion, continue: next } = list['metadata'];
  if (typeof resourceVersion !== 'string') return undefined;
  const slices = list['items'].map(readSlice);
  // To leave one out would be to lose its backends.
  if (slices.includes(undefined)) return undefined;
  return {
    slices: slices as readonly Slice[],
    resourceVersion,
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
