import fc from 'fast-check';

/** Pieces that frameworks, proxies and languages read in different ways. */
const PIECES = [
  'admin',
  'Admin',
  '%61dmin',
  '%2561dmin',
  'a',
  'x',
  '/',
  '//',
  '\\',
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '%2f',
  '%2F',
  '%5c',
  '%252f',
  '%252e',
  ';',
  ';v=1',
  '%3b',
  '%23',
  '#',
  '%3f',
  '%25',
  '%',
  '%00',
  '%c0%af',
  '%ef%bc%8f',
  '%e9',
  'é',
  ' ',
  '~',
  '@',
  'http://',
];

/** Paths that try to be taken for others. They begin with a slash. */
export const TRICKY_PATHS: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((pieces) => `/${pieces.join('')}`);
