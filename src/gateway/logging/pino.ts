/**
 * Pino, as far as we use it: it makes lines of JSON, and where they go is ours. In the published package this file is a
 * bundle that holds it, loaded only when there is a log.
 */
import { pino } from 'pino';
import type { Lines, LogLevel } from './lines.js';

/** Of dates the same text is wanted again and again: to make one takes 0.5 µs. */
let textMs = 0;
let text = '';

function timestamp(): string {
  const now = Date.now();
  if (now !== textMs) {
    textMs = now;
    text = `,"time":"${new Date(now).toISOString()}"`;
  }
  return text;
}

export function pinoLines(level: LogLevel, write: (line: string) => void): Lines {
  const logger = pino(
    { level, base: { pid: process.pid }, timestamp, formatters: { level: (label) => ({ level: label }) } },
    { write },
  );
  return {
    isOn: (asked) => logger.isLevelEnabled(asked),
    write: (at, message, fields) => logger[at](fields, message),
  };
}
