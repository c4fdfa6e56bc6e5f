import { connect } from 'node:net';

/** Longer than any of our answers takes, on a machine that stands still for a while. */
const PATIENCE_MS = 15_000;

/** Sends bytes, and returns all that comes back until the other end closes, or until `isEnough`. */
export function exchange(
  port: number,
  bytes: string,
  isEnough: (text: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`nothing more came after ${JSON.stringify(text)}`));
    }, PATIENCE_MS);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    socket.on('error', () => {});
    socket.on('close', done);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isEnough(text)) done();
    });
    socket.write(bytes, 'latin1');
  });
}

/** The statuses of all answers in a text, in order. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
