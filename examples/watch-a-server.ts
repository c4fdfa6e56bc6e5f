// The dashboard, metrics and events of a gateway for a server of your own. Run: npm test -- examples
import { openAdminFor } from 'plimsoll/gateway';
import { serve } from 'plimsoll/server';

const running = await serve((_req, res) => res.end('done'), { host: '127.0.0.1', exitOnSignal: false });
const admin = await openAdminFor({ guard: running.guard }, { address: '127.0.0.1:0' });
const at = `http://127.0.0.1:${admin.at.port}`;

for (let i = 0; i < 10; i++) await (await fetch(`http://127.0.0.1:${running.port}/`)).text();

const snapshot = (await (await fetch(`${at}/snapshot`)).json()) as {
  state: string;
  guard: { why: string; counts: { CRITICAL: { ended: number } } };
};
console.log('state    ', snapshot.state);
console.log('served   ', snapshot.guard.counts.CRITICAL.ended);
console.log('why      ', snapshot.guard.why);

const page = await fetch(`${at}/dashboard/`);
console.log('page     ', page.status, page.headers.get('content-type'));

await admin.close();
await running.close({ spreadMs: 0, timeoutMs: 1_000 });
