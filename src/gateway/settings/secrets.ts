import type { SecretPlaces } from '../../config/index.js';

/** What headers must say, or are made to say, may be a password, whatever they are called. */
const HEADERS = ['headers', 'requestHeaders', 'answerHeaders', 'requestHeaders.set', 'answerHeaders.set'];

/**
 * Where a gateway's file has secrets. Places above theirs are among them: `admin: <token>` and `identity.header: <password>`
 * are how somebody writes them who does not know the form.
 */
export const SECRETS: SecretPlaces = {
  values: [
    'admin',
    'admin.token',
    'redis',
    'redis.url',
    'redis.url.*',
    'identity',
    'identity.apiKeys',
    'identity.header',
    'identity.jwt',
    'identity.jwt.secret',
    'identity.jwt.publicKey',
    'identity.jwt.jwksUrl',
    ...HEADERS.flatMap((each) => [`routes.*.${each}`, `routes.*.${each}.*`]),
  ],
  names: ['identity.apiKeys.keys'],
};
