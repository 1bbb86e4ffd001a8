import type { FindingNode } from './finding-rows.tsx';

/** How rules are called in lists; what each means is under "Rules". */
export const ruleNames: Record<FindingNode['rule'], string> = {
  ambiguous_definition: 'Ambiguous definition',
  broad_file_root: 'Broad file access',
  declared_unused: 'Declared, not used',
  definition_changed: 'Definition changed',
  hidden_unicode: 'Hidden characters',
  not_approved: 'Not approved',
  odd_case_path: 'Odd spelling of a path',
  outdated_client: 'Outdated client',
  plain_http: 'Unencrypted connection',
  plaintext_secret: 'Secret in the open',
  shadowed_server: 'Shadowed server',
  shell_wrapper: 'Runs a shell',
  unpinned_package: 'Unpinned package',
  used_undeclared: 'Used, not declared',
  vulnerable_package: 'Vulnerable package',
};

export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export const findingStates = ['open', 'dismissed', 'resolved'] as const;

export const choicesOf = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: value[0].toUpperCase() + value.slice(1) }));
export const ruleChoices = Object.entries(ruleNames).map(([value, label]) => ({ value, label }));

/** What of a list was chosen, where it is one of it. */
export const oneOf = <T extends string>(values: readonly T[], chosen: string | null): T | null =>
  values.find((value) => value === chosen) ?? null;
