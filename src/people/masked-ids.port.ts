import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

type BlockTransform = (block: Buffer) => Buffer;

/**
 * Maps internal ids to the ids in responses. With pseudonyms, people and identities get encrypted ids of the same
 * format. The server can unmask them in later requests. Regenerating the key invalidates all masked ids.
 */
export class MaskedIds {
  constructor(private readonly key: Buffer | null) {}

  get arePseudonyms(): boolean {
    return this.key !== null;
  }

  maskPersonId(id: string): string {
    return this.key ? cycleWalk(id, (block) => encryptedBlock(createCipheriv, this.key!, block)) : id;
  }

  unmaskPersonId(shown: string): string {
    return this.key ? cycleWalk(shown, (block) => encryptedBlock(createDecipheriv, this.key!, block)) : shown;
  }

  maskIdentityId(id: number): number {
    return this.key ? cycleWalkNumber(id, (number) => feistel(this.key!, number, rounds)) : id;
  }

  unmaskIdentityId(shown: number): number {
    return this.key ? cycleWalkNumber(shown, (number) => feistel(this.key!, number, rounds.toReversed())) : shown;
  }
}

/** For readers who see real names. */
export const unmaskedIds = new MaskedIds(null);

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
const idOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** UUID versions and variant of RFC 9562: an eighth of all blocks. */
const isId = (block: Buffer) =>
  block.length === 16 && block[6] >> 4 >= 1 && block[6] >> 4 <= 8 && block[8] >> 6 === 0b10;

/** ECB is intended: each id is one block and must map to the same masked id every time. */
function encryptedBlock(make: typeof createCipheriv | typeof createDecipheriv, key: Buffer, block: Buffer): Buffer {
  const cipher = make('aes-256-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}

/**
 * Repeats the step until the result is a valid id (cycle walking), which is reversible. Returns an invalid id
 * unchanged.
 */
function cycleWalk(id: string, step: BlockTransform): string {
  let block: Buffer = bytesOf(id);
  if (!isId(block)) return id;
  do block = step(block);
  while (!isId(block));
  return idOf(block);
}

const maxMaskedNumber = 0x7fffffff;
const rounds = [0, 1, 2, 3];

function cycleWalkNumber(number: number, step: (number: number) => number): number {
  if (number < 0 || number > maxMaskedNumber) return number;
  let at = number;
  do at = step(at);
  while (at > maxMaskedNumber);
  return at;
}

/** A Feistel network over 32 bits. The rounds in reverse order invert it. */
function feistel(key: Buffer, number: number, order: readonly number[]): number {
  let [left, right] = [number >>> 16, number & 0xffff];
  for (const round of order) {
    const hash = createHmac('sha256', key)
      .update(Buffer.from([round, right >> 8, right & 0xff]))
      .digest();
    [left, right] = [right, left ^ hash.readUInt16BE(0)];
  }
  return ((right << 16) | left) >>> 0;
}
