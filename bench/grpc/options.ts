import { type OverloadFlags, type OverloadOptions, overloadOptions } from '../overload/options.js';
import { sectionsOf } from '../section-flags.js';

export const GRPC_SECTIONS = ['unary', 'public', 'refusal', 'restart'] as const;

export interface GrpcOptions extends OverloadOptions {
  readonly sections: readonly (typeof GRPC_SECTIONS)[number][];
}

export const GRPC_HELP = `grpc, about eight minutes; of the flags of overload it knows --runs, --seconds, --arrivals, --mix and
  --only ${GRPC_SECTIONS.join(',')}`;

export type GrpcFlags = OverloadFlags;

export function grpcOptions({ only, ...flags }: GrpcFlags): GrpcOptions {
  const given = overloadOptions({ ...flags, runs: flags.runs ?? '1' });
  return { ...given, sections: sectionsOf(GRPC_SECTIONS, only) };
}
