// A budget of tokens for an LLM API: reserve what an answer may have, settle what it had. Run: npm test -- examples
import { createServer } from 'node:http';
import { createLimiter } from 'plimsoll/rate-limit';

const PER_MINUTE = 10_000;
const tokens = createLimiter({ name: 'tokens', algorithm: 'token-bucket', rate: `${PER_MINUTE}/minute` });

/** Stands for a model: it says only afterwards what it has used, and sometimes fails. */
async function model(prompt: string, maxTokens: number): Promise<{ text: string; usedTokens: number }> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  if (prompt === 'fail') throw new Error('the model is not there');
  return { text: `an answer to “${prompt}”`, usedTokens: Math.ceil(maxTokens / 4) };
}

const server = createServer(async (req, res) => {
  const url = new URL(req.url!, 'http://localhost');
  const prompt = url.searchParams.get('prompt') ?? '';
  const maxTokens = Number(url.searchParams.get('max') ?? 1_000);
  const reservation = await tokens.reserve(String(req.headers['x-api-key']), maxTokens);
  if (!reservation.allowed) {
    // Infinity: it is more than the budget ever has.
    const seconds = Math.ceil(reservation.retryAfterMs / 1_000);
    const headers = Number.isFinite(seconds) ? { 'retry-after': String(seconds) } : {};
    res.writeHead(429, headers).end();
    return;
  }
  try {
    const { text, usedTokens } = await model(prompt, maxTokens);
    await reservation.settle(usedTokens);
    res.end(`${text}: ${usedTokens} tokens`);
  } catch {
    await reservation.refund(); // nothing came of it
    res.writeHead(502).end();
  }
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as { port: number };

async function ask(prompt: string, max: number): Promise<string> {
  const url = `http://127.0.0.1:${port}/?prompt=${prompt}&max=${max}`;
  const answer = await fetch(url, { headers: { 'x-api-key': 'ann' } });
  const retryAfter = answer.headers.get('retry-after');
  const text = answer.ok ? await answer.text() : `again after ${retryAfter ?? '–'} s`;
  const { remaining } = await tokens.peek('ann', 0);
  // Tokens come back by the second: to the nearest hundred it is the same each time.
  return `${answer.status} ${text}; about ${Math.round(remaining / 100) * 100} left`;
}

console.log('up to 4,000 tokens   ', await ask('hello', 4_000));
console.log('a model that fails   ', await ask('fail', 8_000));
console.log('three at once        ', await Promise.all(['a', 'b', 'c'].map((prompt) => ask(prompt, 4_000))));
console.log('more than there is   ', await ask('a-book', PER_MINUTE + 1));
console.log('counts               ', tokens.snapshot());

server.closeAllConnections();
server.close();
await tokens.close();
