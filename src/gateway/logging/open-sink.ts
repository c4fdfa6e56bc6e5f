import { Socket } from 'node:net';
import { lateError } from '../../config/index.js';
import type { GatewaySettings } from '../settings/index.js';
import { FileSink } from './file-sink.js';
import type { Sink } from './sink.js';
import { StreamSink } from './stream-sink.js';

type Settings = Pick<GatewaySettings, 'log'>;

/** Throws, with the key in settings, when nothing can be written where that says. */
export function openSink(settings: Settings, resolve: (file: string) => string): Sink {
  const { destination } = settings.log;
  if (destination === 'stdout') return standard(process.stdout, 1);
  if (destination === 'stderr') return standard(process.stderr, 2);
  const path = resolve(destination);
  try {
    return new FileSink(path);
  } catch (error) {
    const reason = reasonOf(error as NodeJS.ErrnoException);
    const text = `cannot write to ${path}: ${reason}: write the name of a file that can be written, or stdout`;
    throw lateError(settings, [{ path: ['log', 'destination'], text }], { cause: error });
  }
}

/** Files and terminals are written by threads, pipes and sockets by Node's stream: neither waits here. */
function standard(stream: NodeJS.WriteStream, fd: number): Sink {
  return stream instanceof Socket && !stream.isTTY ? new StreamSink(stream, fd) : new FileSink(fd);
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'there is no such directory';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENXIO':
      return 'nobody reads from it';
    default:
      return message;
  }
}
