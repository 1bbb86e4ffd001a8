import { sha256 } from '../platform/crypto/digest.js';

/** Who may read a document: null is everybody who may use the connection at all, an empty list is nobody. */
export type Groups = readonly string[] | null;

/** Of documents that are open; the same in every tenant. */
export const everybody = '00000000-0000-0000-0000-000000000000';

/** The same set of groups has the same id on every process, so that two writers of it do not have to meet. */
export function audienceId(groups: Groups): string {
  if (groups === null) return everybody;
  const digest = sha256([...new Set(groups)].sort().join('\n')).toString('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
