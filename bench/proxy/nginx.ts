import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMsOf } from '../../test/integration/gateway/stress/process-cpu.js';
import type { RunningProxy } from './proxies.js';
import { spawnOn } from './tools.js';

interface RunningNginx extends RunningProxy {
  readonly pid: number;
}

/** Somewhere nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** One worker, which answers by itself. */
export const startBackend = (core: number | undefined): Promise<RunningNginx> =>
  startNginx(core, 'location / { return 200 "hello world, this is a trivial backend"; }');

/**
 * The same for a core that it shares with a generator that never rests: it runs at once when it is asked, as on a machine
 * of its own. Else the system lets it wait for the other's turn to end, which takes milliseconds. False where the system does
 * not allow it.
 */
export function runAtOnce({ pid }: { readonly pid: number }): boolean {
  return spawnSync('chrt', ['--fifo', '--pid', '1', String(pid)], { stdio: 'ignore' }).status === 0;
}

/** One worker, which asks a backend over kept connections. */
export const startProxyPass = (core: number | undefined, backendPort: number): Promise<RunningProxy> =>
  startNginx(
    core,
    'location / { proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; }',
    `upstream backend { server 127.0.0.1:${backendPort}; keepalive 128; keepalive_requests 100000000; }`,
  );

async function startNginx(core: number | undefined, location: string, upstream = ''): Promise<RunningNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  // Without a master the worker is the process that was started, and its CPU can be read.
  writeFileSync(
    file,
    `master_process off; daemon off; error_log ${folder}/error.log; pid ${folder}/pid;
events { worker_connections 20000; }
http {
  access_log off; keepalive_requests 100000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  ${upstream}
  server { listen 127.0.0.1:${port}; ${location} }
}
`,
  );
  const child = spawnOn(core, 'nginx', ['-c', file]);
  await untilListening(port);
  return {
    port,
    pid: child.pid!,
    cpuMs: async () => cpuMsOf(child.pid!),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await wait(50);
    } finally {
      socket.destroy();
    }
  }
}
