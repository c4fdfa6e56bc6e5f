import { describe, expect, it } from 'vitest';
import { type AccessQuestion, AdminAccess } from './access.js';

const TOKEN = 'a-token-of-some-length';
const ASKED: AccessQuestion = {
  host: '127.0.0.1:9901',
  authorization: undefined,
  origin: undefined,
  fetchSite: undefined,
  marker: undefined,
  isChange: false,
};

const statusOf = (token: string | undefined, asked: Partial<AccessQuestion>) =>
  new AdminAccess(() => token).refusalOf({ ...ASKED, ...asked })?.status;

describe('without a token', () => {
  it.each(['localhost', 'LOCALHOST:9901', '127.0.0.1', '127.8.0.1:80', '[::1]', '[::1]:9901'])(
    'may be asked by %s',
    (host) => expect(statusOf(undefined, { host })).toBeUndefined(),
  );

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil',
    '127.0.0.1:9901:1',
    '10.0.0.1',
    '0.0.0.0',
    '[::2]',
    '::1',
    'localhost@evil',
    'localhost:x',
  ])('is not asked by %s', (host) => expect(statusOf(undefined, { host })).toBe(403));
});

describe('with a token', () => {
  const authorization = `Bearer ${TOKEN}`;

  it('is asked by whoever has it, by any name', () => {
    expect(statusOf(TOKEN, { authorization, host: 'gateway.internal' })).toBeUndefined();
    expect(statusOf(TOKEN, { authorization: `bearer  ${TOKEN}` })).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    TOKEN,
    `Basic ${TOKEN}`,
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer x${TOKEN}`,
  ])('is not asked with %s', (given) => expect(statusOf(TOKEN, { authorization: given })).toBe(401));

  it('says how to be known', () => {
    const refusal = new AdminAccess(() => TOKEN).refusalOf(ASKED);
    expect(refusal?.headers).toEqual({ 'www-authenticate': 'Bearer realm="plimsoll"' });
    expect(refusal?.body).not.toContain(TOKEN);
  });

  it('holds the token of now', () => {
    let token = TOKEN;
    const access = new AdminAccess(() => token);
    expect(access.refusalOf({ ...ASKED, authorization })).toBeUndefined();
    token = 'another-token-of-length';
    expect(access.refusalOf({ ...ASKED, authorization })?.status).toBe(401);
  });
});

describe('pages in browsers', () => {
  it('may ask where they come from here, or were typed in', () => {
    expect(
      statusOf(undefined, { fetchSite: 'same-origin', origin: 'http://127.0.0.1:9901' }),
    ).toBeUndefined();
    expect(statusOf(undefined, { fetchSite: 'none' })).toBeUndefined();
  });

  it.each([
    { fetchSite: 'cross-site' },
    { fetchSite: 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:3000' },
  ])('may not with %j', (asked) => {
    expect(statusOf(undefined, asked)).toBe(403);
    expect(statusOf(TOKEN, { authorization: `Bearer ${TOKEN}`, ...asked })).toBe(403);
  });
});

/** Everything that tells one who asks from another. */
const CURL = {};
const PAGE = { fetchSite: 'same-origin', origin: 'http://127.0.0.1:9901' };
const OLD_PAGE = { origin: 'http://127.0.0.1:9901' };
const OTHER_PAGE = { fetchSite: 'cross-site', origin: 'https://evil.example' };
const MARKED = { marker: '1' };
const KNOWN = { authorization: `Bearer ${TOKEN}` };

describe('what changes something', () => {
  const isChange = true;

  it.each([
    // Without a token: tools on this machine, and no page.
    ['curl', undefined, { ...CURL }, 403],
    ['curl', undefined, { ...CURL, marker: 'true' }, 403],
    ['curl', undefined, { ...CURL, ...MARKED }, undefined],
    ['curl, by another name', undefined, { ...CURL, ...MARKED, host: 'evil.example' }, 403],
    ['our page', undefined, { ...PAGE, ...MARKED }, 403],
    ['our page', undefined, { ...PAGE, ...MARKED, ...KNOWN }, 403],
    ['our page in an old browser', undefined, { ...OLD_PAGE, ...MARKED }, 403],
    ['somebody who types it in', undefined, { fetchSite: 'none', ...MARKED }, 403],
    ['a page of others', undefined, { ...OTHER_PAGE, ...MARKED }, 403],
    // With one: whoever has it, and says what it wants.
    ['curl', TOKEN, { ...CURL, ...MARKED }, 401],
    ['curl', TOKEN, { ...CURL, ...KNOWN }, 403],
    ['curl', TOKEN, { ...CURL, ...KNOWN, ...MARKED }, undefined],
    ['our page', TOKEN, { ...PAGE, ...MARKED }, 401],
    ['our page', TOKEN, { ...PAGE, ...KNOWN }, 403],
    ['our page', TOKEN, { ...PAGE, ...KNOWN, ...MARKED }, undefined],
    ['our page behind TLS', TOKEN, { origin: 'https://127.0.0.1:9901', ...KNOWN, ...MARKED }, undefined],
    ['our page in an old browser', TOKEN, { ...OLD_PAGE, ...KNOWN, ...MARKED }, undefined],
    ['a page of others', TOKEN, { ...OTHER_PAGE, ...KNOWN, ...MARKED }, 403],
  ])('from %s with the token %s and %j is answered with %s', (_, token, asked, status) =>
    expect(statusOf(token, { isChange, ...asked })).toBe(status),
  );

  it('says what a page needs', () => {
    const refusal = new AdminAccess(() => undefined).refusalOf({ ...ASKED, ...PAGE, ...MARKED, isChange });
    expect(refusal?.body).toContain('admin.token');
  });
});

describe('what is only read', () => {
  it.each([
    ['curl', undefined, CURL, undefined],
    ['our page', undefined, PAGE, undefined],
    ['our page behind TLS', undefined, { origin: 'https://127.0.0.1:9901' }, 403],
    ['our page', TOKEN, PAGE, 401],
    ['our page', TOKEN, { ...PAGE, ...KNOWN }, undefined],
    ['a page of others', undefined, OTHER_PAGE, 403],
  ])('from %s with the token %s and %j is answered with %s', (_, token, asked, status) =>
    expect(statusOf(token, asked)).toBe(status),
  );
});

describe('files of the page', () => {
  const pageStatus = (token: string | undefined, host: string) =>
    new AdminAccess(() => token).pageRefusalOf(host)?.status;

  it('are for whoever is at this machine; with a token for all who find them', () => {
    expect(pageStatus(undefined, 'localhost:9901')).toBeUndefined();
    expect(pageStatus(undefined, 'evil.example')).toBe(403);
    expect(pageStatus(TOKEN, 'gateway.internal')).toBeUndefined();
  });
});
