import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkCustomers, decodeCustomer, encodeCustomer, knownName, UNMETERED } from './customer-name.js';

/** Any 16 bits, halves of a pair included. */
const ANY_UNIT = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

it('leaves plain names as they are', () => {
  expect(encodeCustomer('acme-7')).toBe('acme-7');
  expect(decodeCustomer('acme-7')).toBe('acme-7');
});

it('carries any other name, encoded', () => {
  for (const name of ['Acme Corp', 'Müller & Söhne', '100%', '北京']) {
    const encoded = encodeCustomer(name)!;
    expect(encoded).toMatch(/^[\x21-\x7e]+$/);
    expect(encoded).not.toBe(name);
    expect(decodeCustomer(encoded)).toBe(name);
  }
});

it('carries none that is empty, too long or no text', () => {
  expect(encodeCustomer('a'.repeat(128))).toBe('a'.repeat(128));
  for (const name of ['', 'a'.repeat(129), 'ü'.repeat(22), '\ud800', 'a\nb', 'a\x7f', 'a\x85']) {
    expect(encodeCustomer(name)).toBeUndefined();
  }
  expect(encodeCustomer(`${'ü'.repeat(21)}ab`)).toHaveLength(128);
  expect(encodeCustomer(`${'ü'.repeat(21)}abc`)).toBeUndefined();
});

it('believes none that it cannot have written', () => {
  for (const text of [
    '',
    'a'.repeat(129),
    'a b',
    'a\tb',
    'ü',
    '%',
    '%zz',
    '%ff',
    'a%0Ab',
    'a%0D',
    '%00',
    '%C2%85',
  ]) {
    expect(decodeCustomer(text)).toBeUndefined();
  }
});

it('comes back as it went, or not at all', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_UNIT, maxLength: 140 }), (name) => {
      const encoded = encodeCustomer(name);
      if (encoded === undefined) return;
      expect(encoded.length).toBeLessThanOrEqual(128);
      expect(decodeCustomer(encoded)).toBe(name);
    }),
  );
});

it('never throws on what comes from outside', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 140 }), (text) => {
      const customer = decodeCustomer(text);
      if (customer !== undefined) expect(customer.length).toBeGreaterThan(0);
    }),
  );
});

it('knows everybody by a name that travels, and no two by the same', () => {
  expect(knownName('acme-7')).toBe('acme-7');
  expect(knownName('北京')).toBe('北京');
  const strange = [
    'evil\tkey',
    'é'.repeat(30),
    '株式会社東日本電信電話総合研究所',
    'a'.repeat(129),
    'a'.repeat(130),
    '',
  ];
  const known = strange.map(knownName);
  expect(new Set(known).size).toBe(strange.length);
  for (const name of known) expect(name).toMatch(/^sha256:[0-9a-f]{32}$/);
  expect(strange.map(knownName)).toEqual(known);
  fc.assert(
    fc.property(fc.string({ unit: ANY_UNIT, maxLength: 200 }), (name) => {
      expect(encodeCustomer(knownName(name))).toBeDefined();
      expect(knownName(knownName(name))).toBe(knownName(name));
    }),
  );
});

it('keeps one name among ourselves, which nobody from outside can have, and which is told to nobody', () => {
  expect(encodeCustomer(UNMETERED)).toBeUndefined();
  for (const text of [UNMETERED, '(no%20quota)', '%28no%20quota%29', '(%6eo%20quota)'])
    expect(decodeCustomer(text)).toBeUndefined();
  expect(knownName(UNMETERED)).toBe(UNMETERED);
  expect(() => checkCustomers([{ customer: UNMETERED }])).not.toThrow();
});

it('refuses limits for names that nobody is known by', () => {
  checkCustomers(undefined);
  checkCustomers([{ customer: 'acme' }, { customer: '北京' }]);
  for (const customer of ['', 'evil\tkey', 'ü'.repeat(22), 5 as unknown as string]) {
    expect(() => checkCustomers([{ customer }])).toThrow(
      `the name of a customer must have 1 to 128 characters (those that are not ASCII count percent-encoded), none that is not visible, and not be (no quota), got ${JSON.stringify(customer)}`,
    );
  }
});
