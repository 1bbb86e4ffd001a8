/**
 * The pseudonym of an unmatched identity `i`. It depends on the key and not on the id, which would survive regenerating
 * the pseudonyms. `$1`: the tenant.
 */
export const unmatchedName = `'Unmatched ' || upper(left(encode(sha256(
  coalesce((select pseudonym_key from spend_settings where tenant_id = $1), '') || int4send(i.id)), 'hex'), 10))`;
