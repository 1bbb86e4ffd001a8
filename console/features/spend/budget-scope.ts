import { visible } from '../../kit/visible.ts';

export const scopeNames = {
  organization: 'Entire organization',
  group: 'Group',
  cost_centre: 'Cost centre',
  person: 'Person',
};

/** The scope of a budget, as plain text. */
export const titleOf = ({ scope, name }: { scope: keyof typeof scopeNames; name: string | null }): string =>
  scope === 'organization' ? scopeNames.organization : visible(name ?? scopeNames[scope]);
