// Floods a gateway from a process of its own: whoever measures how long it takes to answer must not wait for this.
// node flood.mjs <port> <connections>: each asks four at a time, again as soon as it is answered. Says once that 500 were.
import { connect } from 'node:net';

const [port, connections] = process.argv.slice(2).map(Number);
const asked = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
let answered = 0;

function open() {
  const socket = connect(port, '127.0.0.1', () => socket.write(asked.repeat(4)));
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    const answers = chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
    if (answered < 500 && answered + answers >= 500) process.stdout.write('flooding\n');
    answered += answers;
    socket.write(asked.repeat(answers));
  });
  // One that was sent away comes again.
  socket.on('close', () => setTimeout(open, 10));
}

for (let i = 0; i < connections; i++) open();
process.on('disconnect', () => process.exit());
