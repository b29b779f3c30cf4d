const excerptBytes = 1_024;

/** The beginning of a receiver's answer as storable text: whole characters, without NUL. */
export function excerptOf(body: Uint8Array): string {
  const decoder = new TextDecoder('utf-8');
  const isCut = body.length > excerptBytes;
  return decoder.decode(body.subarray(0, excerptBytes), { stream: isCut }).replaceAll('\0', '\uFFFD');
}
