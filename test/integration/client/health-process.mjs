// Hears of two backends, by UDP and by a stream; then has nothing more to do, and should end by itself.
import { HealthMonitor } from '../../../dist/client/health/index.js';

const [how, udpPort, httpPort] = process.argv.slice(2);
const heard = new Set();
const environment = { monotonicMs: () => performance.now(), random: Math.random };

/** Sockets that are open, also those that nobody waits for. */
const sockets = () => process.report.getReport().libuv.filter(({ type }) => type === 'udp' || type === 'tcp');

function end() {
  // Connections are closed a turn later.
  if (how === 'close' && sockets().length > 0) setTimeout(end, 10);
  else process.stdout.write(`${[...heard].sort().join(' ')} ${sockets().length}\n`);
}

const listener = {
  onHealth(_key, _health, via) {
    if (heard.size === 2) return;
    heard.add(via);
    if (heard.size < 2) return;
    clearInterval(waiting);
    if (how === 'close') monitor.close();
    setImmediate(end);
  },
  onSilent() {},
};

const monitor = new HealthMonitor(listener, environment);
const waiting = setInterval(() => {}, 1_000);
monitor.add('udp', new URL(`http://127.0.0.1:${udpPort}`));
monitor.add('http', new URL(`http://127.0.0.1:${httpPort}`));
