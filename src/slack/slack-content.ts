import { sha256 } from '../platform/crypto/digest.js';

/** The hash of everything that a reader of the message sees. Null: the blocks are missing or too deeply nested. */
export function contentHashOf(blocks: unknown): string | null {
  if (!Array.isArray(blocks) || !blocks.length) return null;
  try {
    return sha256(JSON.stringify(textsOf(blocks, '', 0))).toString('hex');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const maxDepth = 20;

/** All strings with their paths. Slack adds ids, flags and defaults, which show nothing. */
function textsOf(value: unknown, path: string, depth: number): [path: string, text: string][] {
  if (depth > maxDepth) throw new RangeError('The blocks are nested too deeply.');
  if (typeof value === 'string') return [[path, plainTextOf(value)]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => key !== 'block_id')
    .sort(([a], [b]) => (Array.isArray(value) ? Number(a) - Number(b) : a < b ? -1 : 1))
    .flatMap(([key, part]) => textsOf(part, `${path}/${key}`, depth + 1));
}

/** Slack may escape markup and turn addresses into links. */
function plainTextOf(text: string): string {
  let decoded = text;
  for (let former = ''; former !== decoded;) {
    former = decoded;
    decoded = former.replace(/&(amp|lt|gt);/g, (_, name: keyof typeof entities) => entities[name]);
  }
  return decoded
    .replace(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_, address: string, label?: string) => label ?? address)
    .replace(/\r\n?/g, '\n')
    .trim();
}
const entities = { amp: '&', lt: '<', gt: '>' };
