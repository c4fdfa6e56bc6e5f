// Clients that ask again as soon as they are answered, in a process of their own: on its core the server is alone.
import { connect } from 'node:net';
import { answerQuestions } from '../overload/questions.js';

let paths: readonly string[] = [];

answerQuestions({
  /** From now on they ask for these, each for one of them; for nothing, they end. */
  ask: (next: readonly string[]) => {
    paths = next;
  },
  start: ({ port, clients }: { port: number; clients: number }) => {
    for (let at = 0; at < clients; at++) {
      const ask = () => {
        const path = paths[at % paths.length];
        if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\n\r\n`);
      };
      const socket = connect(port, '127.0.0.1', ask);
      socket.on('data', ask);
    }
  },
});
