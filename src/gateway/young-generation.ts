/** What somebody has said already of how Node is to run. */
export interface NodeSaid {
  readonly execArgv: readonly string[];
  readonly nodeOptions: string | undefined;
}

/** What V8 takes by itself where there is memory to spare (Node 24, from 4 GB on). */
const MOST_MB = 64;

/**
 * Two of them are the young generation, and what is large besides: an eighth to a fifth of the memory. What lives for long is
 * little in a gateway, less than 40 MB beside its connections.
 */
const SHARE_OF_MEMORY = 1 / 16;

const BYTES_PER_MB = 2 ** 20;

/** At 512 MB a ninth to a sixth of the time goes into collections under full load, at 1 GB up to a twenty-fifth. */
const SCARCE_BYTES = 1.5 * 2 ** 30;

const HAS_SAID = /^--(max|min)[-_]semi[-_]space[-_]size\b/;

/**
 * The flag of Node by which a gateway has more room for what is thrown away: some 10 KB for each request, so that a second of
 * 5,000 fills 50 MB. V8 goes by what programs need that keep much of what they make, and takes 1 MB in a container of 512 (Node
 * 20 to 24), 4 in one of a gigabyte (16 on 24), 8 in one of two (32): it then stops to collect up to fifty times a second, and
 * whoever comes in that moment waits. Undefined when somebody has said how large it is to be.
 */
export function semiSpaceFlag(
  memoryBytes: number,
  { execArgv, nodeOptions = '' }: NodeSaid,
): string | undefined {
  if ([...execArgv, ...nodeOptions.split(/[\s"]+/)].some((each) => HAS_SAID.test(each))) return undefined;
  const megabytes = Math.min(MOST_MB, (memoryBytes / BYTES_PER_MB) * SHARE_OF_MEMORY);
  // V8 rounds up to a power of two: down is what fits.
  return `--max-semi-space-size=${2 ** Math.floor(Math.log2(Math.max(1, megabytes)))}`;
}

/** What to tell people whose process cannot take the flag for itself, where it makes a difference. */
export function semiSpaceHint(memoryBytes: number, said: NodeSaid): string | undefined {
  const flag = memoryBytes < SCARCE_BYTES ? semiSpaceFlag(memoryBytes, said) : undefined;
  if (flag === undefined) return undefined;
  return `with ${Math.round(memoryBytes / BYTES_PER_MB)} MB of memory Node stops often to collect: NODE_OPTIONS=${flag} makes that rare`;
}
