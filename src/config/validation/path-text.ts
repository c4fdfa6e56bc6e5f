import { HIDDEN } from './secret-places.js';

/** `services.web.backends[2].count`; what is no plain word is quoted. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      const key = String(step);
      if (!/^[\w-]+$/.test(key) && key !== HIDDEN) return `[${JSON.stringify(key)}]`;
      return at === 0 ? key : `.${key}`;
    })
    .join('');
}
