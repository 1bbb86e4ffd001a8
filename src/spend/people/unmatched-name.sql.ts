/**
 * What an identity `i` that is nobody's goes by where pseudonyms are shown: not by its number, which would be the same after
 * these were drawn anew. $1 tenant
 */
export const unmatchedName = `'Unmatched ' || upper(left(encode(sha256(
  coalesce((select pseudonym_key from spend_settings where tenant_id = $1), '') || int4send(i.id)), 'hex'), 10))`;
