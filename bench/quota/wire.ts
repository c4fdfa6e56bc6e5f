/** How reports and levels travel is the package's own business, and no subpath of it: taken from where it is built. */
export const wire = (await import(
  new URL('../../../dist/wire/index.js', import.meta.url).href
)) as typeof import('../../dist/wire/index.js');
