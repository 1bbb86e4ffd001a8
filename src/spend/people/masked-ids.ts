import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

type BlockTransform = (block: Buffer) => Buffer;

/**
 * Whom a number that leaves here stands for. Where pseudonyms are shown, people and identities go by other numbers of the same
 * form: who has the key can lead them back, so they can be asked for again, and with the next key they lead to nobody.
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

/** For whom people go by their names. */
export const unmaskedIds = new MaskedIds(null);

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
const idOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Of the versions and the variant that RFC 9562 knows: an eighth of all blocks. */
const isId = (block: Buffer) =>
  block.length === 16 && block[6] >> 4 >= 1 && block[6] >> 4 <= 8 && block[8] >> 6 === 0b10;

/** One block at a time is what the mode is for here: each id becomes another id, the same each time. */
function encryptedBlock(make: typeof createCipheriv | typeof createDecipheriv, key: Buffer, block: Buffer): Buffer {
  const cipher = make('aes-256-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}

/** Until it has the form of an id again, which keeps it reversible. What has not got it to begin with is nobody's. */
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

/** A Feistel network over 32 bits: the same rounds the other way round lead back. */
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
