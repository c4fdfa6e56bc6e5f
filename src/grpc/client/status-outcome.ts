import type { Metadata } from '@grpc/grpc-js';
import type { LoadReport, Outcome } from '../../core/index.js';
import {
  decodeLoadReport,
  decodeLoadReportMessage,
  LAME_DUCK_HEADER,
  LOAD_REPORT_HEADER,
  LOAD_REPORT_TRAILER,
  OVERLOADED_HEADER,
  outcomeOfAnswer,
  PUSHBACK_HEADER,
  RATE_LIMITED_HEADER,
} from '../../wire/index.js';
import {
  CANCELLED,
  DATA_LOSS,
  DEADLINE_EXCEEDED,
  INTERNAL,
  OK,
  RESOURCE_EXHAUSTED,
  UNAVAILABLE,
  UNKNOWN,
} from './status-codes.js';

/**
 * What grpc-js says where nothing was processed: of a stream that its server, or the GOAWAY before it, has refused; and, under
 * policies that are not ours, where there was no connection at all.
 */
const UNPROCESSED = /^Stream refused by server$|^(\w+: )?No connection established|^Name resolution failed/;

/**
 * The longest wait that a backend is granted: a call without a deadline would be held, and its process kept alive, for as
 * long as the backend likes. Beyond it the caller is better served by the status, and can come again by itself.
 */
const MOST_PUSHBACK_MS = 10_000;

/** How a call ended, as grpc-js tells it. */
export interface EndedCall {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

function text(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return value?.toString();
}

/**
 * Whether the status was made on this side: no server sent it, so no server has answered. An answer that consists of
 * trailers only has at least a content type among them (gRPC over HTTP/2, "Trailers-Only"), others have begun with headers.
 */
export function isMadeHere({ metadata }: EndedCall, hasHeaders: boolean): boolean {
  return !hasHeaders && Object.keys(metadata.getMap()).length === 0;
}

/**
 * What a status is, as far as the decisions care ("What an outcome teaches"). Whoever says that it is overloaded has not
 * processed the call, whatever else it says: one that came too late is answered with DEADLINE_EXCEEDED. But not where an
 * answer had begun with headers: something was processed then, whatever is said in the end.
 */
export function outcomeOfStatus(ended: EndedCall, isLocal: boolean, hasHeaders = false): Outcome {
  const { code, details, metadata } = ended;
  if (code === OK) return 'answered';
  const overloaded = text(metadata, OVERLOADED_HEADER);
  if (overloaded === 'true') {
    if (hasHeaders) return 'failed';
    const headers = { [OVERLOADED_HEADER]: overloaded, [PUSHBACK_HEADER]: text(metadata, PUSHBACK_HEADER) };
    return outcomeOfAnswer(503, headers);
  }
  switch (code) {
    case CANCELLED:
      return 'aborted';
    case RESOURCE_EXHAUSTED:
      // Without the header it is as often a message that is too long as a limit: no reason to withhold others.
      return text(metadata, RATE_LIMITED_HEADER) === undefined ? 'answered' : 'limited';
    case DEADLINE_EXCEEDED:
      return 'broken';
    case UNAVAILABLE:
      if (isLocal) return UNPROCESSED.test(details) ? 'connect-failed' : 'broken';
      return 'failed';
    case INTERNAL:
      // Made here, it is a stream that was reset.
      return isLocal ? 'broken' : 'failed';
    case UNKNOWN:
    case DATA_LOSS:
      return 'failed';
    default:
      // NOT_FOUND, INVALID_ARGUMENT … and UNIMPLEMENTED: about the request, not about the backend.
      return 'answered';
  }
}

/**
 * How long the backend asks to wait before another attempt; below 0, or no number at all: not to make one (gRFC A6). Nor is
 * one made where that would be too long.
 */
export function pushbackMsOf(metadata: Metadata): number {
  const pushback = text(metadata, PUSHBACK_HEADER);
  if (pushback === undefined) return 0;
  return /^\d{1,9}$/.test(pushback) && Number(pushback) <= MOST_PUSHBACK_MS ? Number(pushback) : -1;
}

/** What the trailers say of the backend's load. */
export function reportIn(metadata: Metadata): LoadReport | undefined {
  const [message] = metadata.get(LOAD_REPORT_TRAILER);
  if (message !== undefined && typeof message !== 'string') return decodeLoadReportMessage(message);
  const header = text(metadata, LOAD_REPORT_HEADER);
  return header === undefined ? undefined : decodeLoadReport(header);
}

/** Whether the trailers say that the backend wants no new calls. */
export function isLameDuck(metadata: Metadata): boolean {
  return metadata.get(LAME_DUCK_HEADER).length > 0;
}
