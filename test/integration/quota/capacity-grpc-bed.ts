import * as grpc from '@grpc/grpc-js';
import { addCapacityService, grpcCapacity } from '../../../src/grpc/index.js';
import type { Way } from './capacity-bed.js';

const PACKAGE = 'plimsoll.capacity.v1';

/** Resolves with the port. */
export async function bound(server: grpc.Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, found) =>
      error === null ? resolve(found) : reject(error),
    );
  });
}

export const BY_GRPC: Way = {
  calling: { transport: grpcCapacity(grpc) },
  serve: async (server, port) => {
    const outer = addCapacityService(new grpc.Server(), server);
    const found = await bound(outer, port);
    const stop = async () => {
      outer.forceShutdown();
      await server.close();
    };
    return { server, url: `grpc://127.0.0.1:${found}`, port: found, stop };
  },
};

export interface Called {
  readonly code: number;
  readonly answer: Buffer | undefined;
}

/** Sends bytes as they are. */
export async function call(url: string, method: string, message: Uint8Array): Promise<Called> {
  const client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        `/${PACKAGE}.Capacity/${method}`,
        same,
        same,
        Buffer.from(message),
        { deadline: Date.now() + 10_000 },
        (error, answer) => resolve({ code: error?.code ?? grpc.status.OK, answer }),
      );
    });
  } finally {
    client.close();
  }
}
