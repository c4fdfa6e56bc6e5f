import type { IncomingMessage } from 'node:http';
import { digestOf } from '../../rate-limit/rules/key-text.js';
import { isSecretHeader } from '../../rate-limit/rules/secret-header.js';
import type { JobSource } from './batch-proxy-options.js';

/** Longer names would only fill tables. */
const LONGEST_NAME = 128;

/** What a guard calls those of whom it knows nothing. */
const ANONYMOUS = 'anonymous';

/**
 * The job that a request belongs to. Of whom nothing is known, it is known where they come from: strangers are no one
 * job, and one of them should not have the share of all.
 */
export function jobOf(source: JobSource, req: IncomingMessage, customer: string | undefined): string {
  const name =
    source === 'customer' ? customer : source === 'address' ? undefined : headerOf(req, source.header);
  if (name !== undefined && name !== '' && name !== ANONYMOUS) return name.slice(0, LONGEST_NAME);
  return req.socket.remoteAddress ?? '';
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  const [first] = [value].flat();
  // Names of jobs are shown.
  return first !== undefined && isSecretHeader(name) ? digestOf(first) : first;
}
