import { describe, expect, it } from 'vitest';
import { loadJose } from './load-jose.js';

describe('loadJose', () => {
  it('has what is needed of it', async () => {
    const { jwtVerify, createRemoteJWKSet, customFetch } = await loadJose('jwt:sub');
    expect([jwtVerify, createRemoteJWKSet, customFetch].map((each) => typeof each)).toEqual([
      'function',
      'function',
      'symbol',
    ]);
  });

  it('says what to do when it is not there, and nothing else of other troubles', async () => {
    const failing = (error: Error) => loadJose('jwt:org.id', () => Promise.reject(error));
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(failing(missing)).rejects.toMatchObject({
      message: 'jwt:org.id needs the package jose: npm install jose',
      cause: missing,
    });
    const other = new SyntaxError('not for this Node');
    await expect(failing(other)).rejects.toBe(other);
  });
});
