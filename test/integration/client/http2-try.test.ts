import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { CERTIFICATE, KEY } from './certificate.js';

it('try', async () => {
  let sessions = 0, streams = 0, most = 0, now = 0;
  const open = new Set<any>();
  const server = createSecureServer({ key: KEY, cert: CERTIFICATE });
  server.on('session', (s) => { sessions++; open.add(s); s.on('close', () => open.delete(s)); s.on('error', () => {}); });
  let conns = 0;
  server.on('secureConnection', () => conns++);
  const held: any[] = [];
  server.on('stream', (stream, headers) => {
    streams++; now++; most = Math.max(most, now);
    stream.on('close', () => now--);
    stream.on('error', () => {});
    if (headers[':path'] === '/slow') { held.push(stream); return; }
    stream.respond({ ':status': 200 }); stream.end('ok');
  });
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', r));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ backends: [url], host: 'orders.test', health: false, connections: { http2: true, tls: { ca: CERTIFICATE } } });
  await sleep(1000);
  console.log('after 1s idle', { sessions, conns, states: client.snapshot().states });
  try { console.log((await client.fetch('/')).status); } catch (e) { console.log('ERR', e); }
  console.log({ sessions, conns, streams });
  await Promise.all(Array.from({ length: 20 }, async () => { try { await (await client.fetch('/')).text() } catch (e) { console.log('ERR', e) } }));
  console.log({ sessions, conns, streams, most });
  const slow = Array.from({ length: 5 }, () => client.fetch('/slow').then((r) => r.text(), (e) => e));
  await sleep(300);
  console.log({ held: held.length, sessions, conns });
  for (const s of open) s.goaway(0);
  const news = await Promise.all(Array.from({ length: 3 }, async () => { try { return await (await client.fetch('/')).text() } catch (e) { return e } }));
  console.log('new ones after goaway', news, { sessions, conns });
  for (const s of held) { try { if (!s.destroyed) { s.respond({ ':status': 200 }); s.end('slow') } } catch (e) { console.log('srv', e) } }
  console.log('slow', await Promise.all(slow));
  console.log({ sessions, conns, streams }, client.snapshot().counts, client.snapshot().states);
  await client.destroy();
  for (const s of open) s.destroy();
  server.close();
}, 20000);
