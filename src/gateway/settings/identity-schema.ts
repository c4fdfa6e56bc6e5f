import * as z from 'zod';
import { withSecrets } from '../../config/index.js';
import { CRITICALITIES } from '../../core/index.js';
import { checkJwtOptions, type JwtOptions } from '../../rate-limit/jwt/jwt-options.js';
import { addProblem, customerText, fileText, headerText, matching, networkText, together } from './texts.js';

export const criticality = z.enum(CRITICALITIES);

/** As `printf %s "$KEY" | sha256sum` says it: the key itself is in no file. */
const keyHash = matching('the hash of a key like "sha256:9f86…", 64 hex digits', /^sha256:[\da-fA-F]{64}$/);

const keyOwner = z.union([
  customerText.transform((customer) => ({ customer })),
  z.strictObject({
    customer: customerText,
    criticality: criticality.optional().meta({ description: 'Nothing with this key is more critical.' }),
  }),
]);

/** Whose key it is, by its hash: in the settings, or in a file of its own. Who has not hashed it finds it in no log. */
export const apiKeyTable = withSecrets(
  { values: [], names: [''] },
  z.record(keyHash, keyOwner).transform((keys): Record<string, KeyOwner> => keys),
);

export interface KeyOwner {
  customer: string;
  criticality?: z.output<typeof criticality> | undefined;
}

const apiKeys = z.strictObject({
  // What most API gateways call it.
  header: headerText.default('x-api-key'),
  keys: apiKeyTable.default({}),
  file: fileText.optional().meta({ description: 'More keys, read again with each reload.' }),
});

const texts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(32)]);

const jwt = z
  .strictObject({
    jwksUrl: z.string().optional().meta({ description: 'Where the issuer publishes its keys.' }),
    publicKey: fileText
      .optional()
      .meta({ description: 'The file of a key as PEM, read again with each reload; or the PEM itself.' }),
    secret: z
      .string()
      .optional()
      .meta({ description: 'For HMAC, 32 bytes at least. Better from the environment.' }),
    algorithms: z.array(z.string()).min(1).max(16).optional(),
    issuer: texts.optional(),
    audience: texts.optional(),
    // Who a token is about (RFC 7519, 4.1.2).
    claim: z.string().min(1).max(256).default('sub'),
    // RFC 6750, 2.1.
    header: headerText.default('authorization'),
  })
  .superRefine(
    together(({ claim: _, ...options }, context) => {
      addProblem(context, () => checkJwtOptions(withoutFile(options)));
    }),
  );

/** Whether it is a key, and not the name of its file. */
export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

/** The key in a file is looked at when it is read; all else can be checked as for keys from elsewhere. */
function withoutFile({ publicKey, ...options }: JwtOptions): JwtOptions {
  const isFile = typeof publicKey === 'string' && !isPem(publicKey);
  if (!isFile || options.secret !== undefined || options.jwksUrl !== undefined)
    return { publicKey, ...options };
  return { ...options, jwksUrl: 'http://localhost' };
}

const mtls = z.strictObject({
  customers: z
    .record(
      matching(
        'a name of a certificate like "CN:acme", "DNS:acme.internal" or "URI:spiffe://acme"',
        /^(?:CN|DNS|URI|email):[\x21-\x7e]{1,256}$/,
      ),
      customerText,
    )
    .meta({ description: 'Customers by a name in their certificate.' }),
});

const header = z.strictObject({
  name: headerText,
  from: z.array(networkText).min(1).max(256).meta({ description: 'Whom it is believed from.' }),
});

/** Who asks. The first way that knows somebody decides, in this order. */
export const identitySchema = z
  .strictObject({
    apiKeys: apiKeys.optional(),
    header: header.optional(),
    mtls: mtls.optional(),
    jwt: jwt.optional(),
  })
  .prefault({})
  .meta({ description: 'How customers are known. Who is not known is anonymous.' });

export type IdentitySettings = z.output<typeof identitySchema>;
