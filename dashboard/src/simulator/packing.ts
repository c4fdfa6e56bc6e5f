/** Text as letters that a URL can carry, and back. */

export async function pack(text: string): Promise<string> {
  const bytes = await bytesOf(through(new TextEncoder().encode(text), new CompressionStream('deflate-raw')));
  const binary = Array.from(bytes!, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined when it is no such text, or a longer one: a few letters can stand for gigabytes. */
export async function unpack(packed: string, mostBytes: number): Promise<string | undefined> {
  if (!/^[\w-]+$/.test(packed)) return undefined;
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const inflating = through(
      Uint8Array.from(binary, (letter) => letter.charCodeAt(0)),
      new DecompressionStream('deflate-raw'),
    );
    const bytes = await bytesOf(inflating, mostBytes);
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function through(bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream) {
  return new Blob([bytes]).stream().pipeThrough(transform);
}

async function bytesOf(
  stream: ReadableStream<Uint8Array>,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
