import { join } from 'node:path';
import { type RateLimitService, startRateLimitService } from 'plimsoll/ratelimit-service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tidy/sources.js';
import { RlsClient } from './rls-client.js';

/** The kinds of files that the documentation of Envoy's service shows, by a client of grpc-js. */
describe('examples/ratelimit-service', () => {
  let service: RateLimitService;
  let client: RlsClient;

  beforeAll(async () => {
    service = await startRateLimitService({
      paths: [join(root, 'examples/ratelimit-service')],
      grpcPort: 0,
      httpPort: false,
    });
    client = new RlsClient(service.ports.grpc);
  });

  afterAll(async () => {
    client.close();
    await service.close();
  });

  it('1: limits by value', async () => {
    const { statuses } = await client.ask('databases', ['database=users']);
    expect(statuses).toMatchObject([
      { code: 1, currentLimit: { requestsPerUnit: 3, unit: 4 }, limitRemaining: 2 },
    ]);
    expect(await client.words('databases', ['database=users'], 3)).toBe('OK OK OVER');
    expect(await client.words('databases', ['database=default'], 1)).toBe('OK');
    // Neither named, nor is there a rule for all others.
    expect(await client.words('databases', ['database=other'], 9)).not.toContain('OVER');
  });

  it('2: nested, and several descriptors in a call', async () => {
    const asked = ['message_type=marketing,to_number=2061111111', 'to_number=2061111111'];
    expect(await client.words('messages', asked, 3)).toBe('OK OK OVER');
    // The number itself counted all three.
    expect((await client.ask('messages', ['to_number=2061111111'])).statuses[0]!.limitRemaining).toBe(1);
    expect(await client.words('messages', ['message_type=marketing,to_number=2062222222'], 3)).toBe(
      'OK OK OVER',
    );
  });

  it('3: a value that is banned', async () => {
    expect(await client.words('addresses', ['remote_address=50.0.0.5'], 2)).toBe('OVER OVER');
    expect(await client.words('addresses', ['remote_address=50.0.0.1'], 3)).toBe('OK OK OVER');
  });

  it('4: rules and descriptors of the same depth', async () => {
    expect(await client.words('depths', ['key=value,subkey=subvalue'], 3)).toBe('OK OK OVER');
    expect(await client.words('depths', ['key=value'], 9)).not.toContain('OVER');
    expect(await client.words('depths', ['key=value,subkey=subvalue,more=1'], 9)).not.toContain('OVER');
  });

  it('5: no limit at all', async () => {
    const { statuses } = await client.ask('internal', ['ldap=x']);
    expect(statuses).toMatchObject([{ code: 1, limitRemaining: 4_294_967_295 }]);
    expect(statuses[0]!.currentLimit).toBeFalsy();
    expect(await client.words('internal', ['azure=x'], 3)).toBe('OK OK OVER');
  });

  it('6: a rule in shadow', async () => {
    expect(await client.words('shadows', ['service=auth,user=user-a'], 4)).toBe('OK OK OK OK');
    expect(await client.words('shadows', ['service=auth,user=user-b'], 3)).toBe('OK OK OVER');
    expect(service.snapshot()).toContainEqual(
      expect.objectContaining({ label: 'shadows.service.user_user-a', total: 4, over: 2, shadow: 2 }),
    );
  });

  it('7: a limit that replaces another', async () => {
    const [one, two] = ['key_1=value_1,user=x', 'key_2=value_2,user=x'];
    expect(await client.words('replaced', [one, two], 4)).toBe('OK OK OK OVER');
    // Nothing of it counted there.
    expect(await client.words('replaced', [one], 3)).toBe('OK OK OVER');
  });

  it('8: values in statistics', async () => {
    await client.ask('detailed', ['key1=unspecified']);
    await client.ask('detailed', ['key1=value1']);
    const labels = service.snapshot().map(({ label }) => label);
    expect(labels).toContain('detailed.key1_unspecified');
    expect(labels).toContain('detailed.key1_value1');
  });

  it('9: wildcards, each value by itself or all together', async () => {
    expect(await client.words('wildcards', ['key1=value_1'], 3)).toBe('OK OK OVER');
    expect(await client.words('wildcards', ['key1=value_2'], 3)).toBe('OK OK OVER');
    expect(await client.words('wildcards', ['file=tmp/a'], 1)).toBe('OK');
    expect(await client.words('wildcards', ['file=tmp/b'], 2)).toBe('OK OVER');
  });

  it('10: what is ours: windows of several units, sliding ones, buckets', async () => {
    expect(await client.words('extended', ['five_minutes=x'], 3)).toBe('OK OK OVER');
    expect(await client.words('extended', ['rolling=x'], 3)).toBe('OK OK OVER');
    expect(await client.words('extended', ['bucket=x'], 3)).toBe('OK OK OVER');
  });
});
