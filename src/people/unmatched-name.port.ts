/** The pseudonym of an unmatched identity `i`. */
export const unmatchedName = `'Unmatched ' || upper(right(i.pseudonym_id::text, 10))`;
