import { expect, it, vi } from 'vitest';
import { Generation } from './generation.js';
import { Identity, ProxyTrust } from './identity/index.js';
import { parseGatewaySettings } from './settings/index.js';

function generation(): Generation {
  const settings = parseGatewaySettings('listen: 1\nroutes: [{ to: "http://a:1" }]', 'x', {});
  const identity = new Identity({ settings: settings.identity, keys: {}, claims: undefined });
  const proxies = new ProxyTrust(0);
  return new Generation({
    settings,
    routes: [],
    services: new Map(),
    identity,
    proxies,
    isTrustedCaller: () => false,
  });
}

it('is free when the last request that holds it has been sent on', () => {
  const old = generation();
  const onFree = vi.fn();
  old.hold();
  old.hold();
  old.release();
  old.retire(onFree);
  expect(onFree).not.toHaveBeenCalled();
  old.release();
  expect(onFree).toHaveBeenCalledOnce();
});

it('is free at once when nobody holds it', () => {
  const onFree = vi.fn();
  generation().retire(onFree);
  expect(onFree).toHaveBeenCalledOnce();
});

it('looks at no request early when there is nothing to be seen', () => {
  expect(generation().looksEarly).toBe(false);
});
