import { Socket } from 'node:net';
import { FileSink } from './file-sink.js';
import type { Sink } from './sink.js';
import { StreamSink } from './stream-sink.js';

/** Throws, with what is wrong in one line, when nothing can be written there. */
export function openSink(destination: string, resolve: (file: string) => string): Sink {
  if (destination === 'stdout') return standard(process.stdout, 1);
  if (destination === 'stderr') return standard(process.stderr, 2);
  const path = resolve(destination);
  try {
    return new FileSink(path);
  } catch (error) {
    throw new RangeError(
      `log.destination: cannot write to ${path}: ${reasonOf(error as NodeJS.ErrnoException)}`,
      {
        cause: error,
      },
    );
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
