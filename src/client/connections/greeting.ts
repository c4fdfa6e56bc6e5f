import { connect } from 'node:http2';
import type { Socket } from 'node:net';

/** How a server takes a new connection: it goes on, it says GOAWAY without an error, or something else. */
export type Greeting = 'welcome' | 'goaway' | 'broken';

/** As long as a connection may take to open: whoever is slower is not there, for anybody's purposes. */
const LONGEST_MS = 2_000;

const NO_ERROR = 0;

export function speaksHttp2(socket: Socket): boolean {
  return (socket as { alpnProtocol?: string | false | null }).alpnProtocol === 'h2';
}

/**
 * Begins HTTP/2 on a connection, asks nothing of it, and closes it. A server that takes no more requests says so before it
 * answers a ping: frames come in the order in which they were sent. Returns what ends it early, without a word.
 */
export function greet(socket: Socket, done: (greeting: Greeting) => void): () => void {
  socket.on('error', ignore);
  if (!speaksHttp2(socket)) {
    // It has no such way of saying it.
    socket.destroy();
    queueMicrotask(() => done('welcome'));
    return ignore;
  }
  const session = connect('https://greeting', { createConnection: () => socket });
  let isOver = false;
  const end = (greeting?: Greeting) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    session.destroy();
    // The session alone would wait for the other end to close it.
    socket.destroy();
    if (greeting !== undefined) done(greeting);
  };
  let hasSpoken = false;
  // One that speaks HTTP/2, and answers no pings, must not be kept out for that.
  const timer = setTimeout(() => end(hasSpoken ? 'welcome' : 'broken'), LONGEST_MS).unref();
  session.once('goaway', (code) => end(code === NO_ERROR ? 'goaway' : 'broken'));
  session.on('error', () => end('broken'));
  session.once('close', () => end('broken'));
  session.once('remoteSettings', () => {
    if (isOver) return;
    hasSpoken = true;
    session.ping((error) => end(error === null ? 'welcome' : 'broken'));
  });
  session.unref();
  return () => end();
}

function ignore(): void {}
