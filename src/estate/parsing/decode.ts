import { isUtf8 } from 'node:buffer';

/** Decodes a file as text, or returns the reason why it cannot. Supports UTF-16, because PowerShell writes it. */
export function decode(bytes: Uint8Array): { text: string } | { reason: string } {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeUtf16(bytes, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decodeUtf16(bytes, 'utf-16be');
  if (bytes.includes(0)) return { reason: 'is not text' };
  if (!isUtf8(bytes)) return { reason: 'is not UTF-8' };
  return { text: new TextDecoder().decode(bytes) };
}

function decodeUtf16(bytes: Uint8Array, encoding: string): { text: string } | { reason: string } {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return { reason: 'is not text' };
  }
}
