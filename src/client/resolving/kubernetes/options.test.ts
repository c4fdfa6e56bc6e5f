import { describe, expect, it } from 'vitest';
import { checkKubernetesOptions } from './options.js';

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' };
const FILES = '/var/run/secrets/kubernetes.io/serviceaccount';

describe('in a pod', () => {
  it('needs the name of the service only', () => {
    expect(checkKubernetesOptions({ service: 'orders' }, POD)).toMatchObject({
      apiServer: 'https://10.96.0.1:6443',
      tokenFile: `${FILES}/token`,
      caFile: `${FILES}/ca.crt`,
      protocol: 'http:',
    });
  });

  it('may have an address of IPv6', () => {
    const { apiServer } = checkKubernetesOptions(
      { service: 'orders' },
      { KUBERNETES_SERVICE_HOST: 'fd00::1' },
    );
    // 443 is what https means.
    expect(apiServer).toBe('https://[fd00::1]');
  });

  it('uses what it is given instead', () => {
    const given = { service: 'orders', token: 't', ca: 'c', apiServer: 'https://k8s.example/proxy/' };
    expect(checkKubernetesOptions(given, POD)).toMatchObject({
      apiServer: 'https://k8s.example/proxy',
      token: 't',
      tokenFile: undefined,
      ca: 'c',
      caFile: undefined,
    });
  });
});

it('sends no token in the clear that nobody named', () => {
  const options = checkKubernetesOptions({ service: 'orders', apiServer: 'http://127.0.0.1:8001' }, {});
  expect(options.tokenFile).toBeUndefined();
});

it.each([
  [{}, /apiServer must be given outside of a cluster/],
  [{ apiServer: 'ftp://a' }, /apiServer/],
  [{ apiServer: 'https://me:secret@a' }, /apiServer/],
  [{ apiServer: 'nonsense' }, /apiServer/],
  [{ service: 'Orders!' }, /service .* got "Orders!"/],
  [{ service: '' }, /service/],
  [{ namespace: '../kube-system' }, /namespace/],
  [{ port: 0 }, /port .* got 0/],
  [{ port: 70_000 }, /port/],
  [{ port: '' }, /port/],
  [{ protocol: 'ftp:' as 'http:' }, /protocol/],
  [{ host: 'a b' }, /host .* got "a b"/],
  [{ token: 't', tokenFile: 'f' }, /token and tokenFile/],
  [{ ca: 'c', caFile: 'f' }, /ca and caFile/],
  [{ timeoutMs: 0 }, /timeoutMs/],
  [{ watchIdleMs: 0 }, /watchIdleMs/],
  [{ refreshGapMs: -1 }, /refreshGapMs/],
  [{ retryMinMs: 2, retryMaxMs: 1 }, /retryMinMs must be <= retryMaxMs/],
  [{ name: 'orders' } as object, /has no option "name"/],
])('refuses %j', (given, message) => {
  const apiServer = Object.keys(given).length === 0 ? {} : { apiServer: 'https://a' };
  expect(() => checkKubernetesOptions({ service: 'orders', ...apiServer, ...given }, {})).toThrow(message);
});
