const secretFieldName =
  /pass(word|phrase|wd)?$|secret|token|credential|authorization|cookie|api[_-]?key|private[_-]?key|\bpin\b|\bcvv?\b|\biban\b/i;

/** Guesses from the name of an argument alone. Broad: the audit log and approvers rather see a value too little. */
export const isSecretFieldName = (name: string): boolean => secretFieldName.test(name);
