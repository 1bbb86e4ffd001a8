import type { FindingNode } from './finding-query.ts';

/** Short names of rules; the server explains each of them. */
export const ruleNames: Record<FindingNode['rule'], string> = {
  ambiguous_definition: 'Ambiguous definition',
  broad_file_root: 'Broad file access',
  declared_unused: 'Declared but unused',
  definition_changed: 'Definition changed',
  hidden_unicode: 'Hidden characters',
  not_approved: 'Not approved',
  odd_case_path: 'Unusual path spelling',
  outdated_client: 'Outdated client',
  plain_http: 'Unencrypted connection',
  plaintext_secret: 'Plaintext secret',
  shadowed_server: 'Shadowed server',
  shell_wrapper: 'Shell wrapper',
  unpinned_package: 'Unpinned package',
  used_undeclared: 'Used but undeclared',
  vulnerable_package: 'Vulnerable package',
};

export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
export const findingStates = ['open', 'dismissed', 'resolved'] as const;

export const fileStatus = {
  read: { state: 'succeeded', label: 'Read' },
  partly: { state: 'limited', label: 'Partially read' },
  unreadable: { state: 'failed', label: 'Unreadable' },
  quarantined: { state: 'failed', label: 'Quarantined' },
} as const;

/** "Grace Hopper (grace@example.com)", or the one of both that is known. */
export const ownerLabel = ({ name, email }: { name: string; email: string | null }): string =>
  email && email !== name ? `${name} (${email})` : name;

export const transportNames = { stdio: 'stdio', http: 'HTTP', sse: 'HTTP with SSE', unknown: 'Unknown' } as const;
export const transports = Object.keys(transportNames) as (keyof typeof transportNames)[];
export const transportChoices = transports.map((value) => ({ value, label: transportNames[value] }));

const platformNames: Record<string, string> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' };
/** The operating system of a device, as it was uploaded if it is another one. */
export const platformName = (platform: string): string => platformNames[platform] ?? platform;

/** "device" as "Device" */
export const labelOf = (value: string): string => value[0].toUpperCase() + value.slice(1);
export const choicesOf = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: labelOf(value) }));
export const ruleChoices = Object.entries(ruleNames).map(([value, label]) => ({ value, label }));

/** The chosen value, or null where it is not one of the list. */
export const oneOf = <T extends string>(values: readonly T[], chosen: string | null): T | null =>
  values.find((value) => value === chosen) ?? null;
