/* What happens to the result of a call before anyone receives it. Set by administrators, never by a model. */

/** `ignore`: not searched for. `block`: the whole result is withheld. */
export const resultActions = ['ignore', 'mark', 'redact', 'block'] as const;
export type ResultAction = (typeof resultActions)[number];

export interface ResultRules {
  /** Keys, tokens and passwords. */
  secrets: ResultAction;
  /** E-mail addresses, phone numbers, IBANs and payment card numbers. */
  personalData: ResultAction;
  /** Fields that the output schema of the tool marks as `writeOnly` or as a password. */
  protectedFields: ResultAction;
  /** Results larger than `maxKilobytes`; `redact` cuts them. */
  size: ResultAction;
  maxKilobytes: number;
}

/** For new connections. Secrets have no use for a model, while personal data often is what was asked for. */
export const defaultResultRules: ResultRules = {
  secrets: 'redact',
  personalData: 'ignore',
  protectedFields: 'redact',
  size: 'ignore',
  maxKilobytes: 256,
};

/** `unchecked`: the search took too long or failed, so the result is withheld. */
const findingKinds = ['secret', 'protected_field', 'email', 'phone', 'iban', 'card', 'oversize', 'unchecked'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** What the rules found in a result. Contains nothing of its text. */
export interface ResultNotice {
  action: 'marked' | 'redacted' | 'withheld';
  /** How many different values of each kind. */
  found: Partial<Record<FindingKind, number>>;
}

export const isSearched = ({ secrets, personalData, protectedFields, size }: ResultRules): boolean =>
  [secrets, personalData, protectedFields, size].some((action) => action !== 'ignore');

const labels: Record<FindingKind, readonly [one: string, many: string]> = {
  secret: ['secret', 'secrets'],
  protected_field: ['protected field', 'protected fields'],
  email: ['e-mail address', 'e-mail addresses'],
  phone: ['phone number', 'phone numbers'],
  iban: ['IBAN', 'IBANs'],
  card: ['payment card number', 'payment card numbers'],
  oversize: ['more text than allowed', ''],
  unchecked: ['text that could not be checked', ''],
};

const uncountable: ReadonlySet<string> = new Set<FindingKind>(['oversize', 'unchecked']);

export const replacementOf = (kind: FindingKind): string => `[redacted: ${labels[kind][0]}]`;

/** "2 secrets, 1 IBAN" */
function describeFound(found: ResultNotice['found']): string {
  const kinds = findingKinds.filter((kind) => found[kind]);
  return kinds
    .map((kind) =>
      uncountable.has(kind) ? labels[kind][0] : `${found[kind]} ${labels[kind][found[kind] === 1 ? 0 : 1]}`,
    )
    .join(', ');
}

/** The text that lists the findings for the caller and the model. */
export function describeNotice({ action, found }: ResultNotice, isError = false): string {
  const what = describeFound(found);
  switch (action) {
    case 'marked':
      return `[The result contains: ${what}. Treat it as confidential.]`;
    case 'redacted':
      return `[Redacted from this result by the organization's rules: ${what}.]`;
    case 'withheld':
      return isError
        ? `[The call failed. The error is withheld by the organization's rules. It contains: ${what}.]`
        : `[The call succeeded. Its result is withheld by the organization's rules. It contains: ${what}.]`;
  }
}
