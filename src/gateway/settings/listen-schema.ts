import * as z from 'zod';
import { ADDRESSES, addressText } from './address.js';
import { fileText } from './texts.js';

const tls = z.strictObject({
  cert: fileText.meta({ description: 'PEM, with the certificates between it and the root.' }),
  key: fileText.meta({ description: 'PEM.' }),
  clientCa: fileText.optional().meta({ description: 'PEM: who signs certificates of clients.' }),
  clientCert: z
    .enum(['optional', 'required'])
    // Who comes without one is still somebody, by a key or a token; routes say where that does not do.
    .default('optional')
    .meta({ description: 'Whether clients must have a certificate. For use with clientCa.' }),
});

const listener = z.strictObject({
  address: addressText,
  tls: tls.optional(),
  http2: z.boolean().optional().meta({
    description: 'HTTP/2 beside HTTP/1.1 on this port, gRPC included. By default where there is tls.',
  }),
});

/** Beside each other, and not unions of unions: then what was meant can be told from the rest. */
const ONE = [...ADDRESSES, listener] as const;

/** A port, an address, a mapping, or several of them. More than 32 are a mistake. */
export const listenSchema = z
  .union([...ONE, z.array(z.union(ONE)).min(1).max(32)])
  .transform((given): Listener[] =>
    [given].flat().map((one) => (typeof one === 'string' ? { address: one, http2: false } : withHttp2(one))),
  )
  .meta({ description: 'Where requests come in: 8080, "127.0.0.1:8080", { address, tls }, or several.' });

/** Browsers and most clients agree on it in the handshake of TLS; without that only those that were told to speak it do. */
function withHttp2(given: z.output<typeof listener>): Listener {
  return { ...given, http2: given.http2 ?? given.tls !== undefined };
}

export interface Listener {
  address: string;
  tls?: z.output<typeof tls> | undefined;
  http2: boolean;
}

export const adminSchema = z
  .union([
    z.literal(false),
    z.strictObject({
      // Envoy's, which is what people who run gateways try first.
      address: addressText.default('127.0.0.1:9901'),
      token: z
        .string()
        .min(16, 'must have 16 characters at least: who has it may end the gateway')
        .optional()
        .meta({ description: 'What a Bearer must say. Better from the environment.' }),
    }),
  ])
  // A port that nobody asked for is one that nobody guards; and two gateways on a machine would not start.
  .default(false)
  .meta({ description: 'Metrics, health and switches, on a port of their own.' });
