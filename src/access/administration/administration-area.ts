import { registerEnumType } from '@nestjs/graphql';

export const administrationAreas = {
  policies: 'policies',
  tool_effects: 'tool_effects',
  approval_steps: 'approval_steps',
  approver_groups: 'approver_groups',
  roles: 'roles',
  sign_in_providers: 'sign_in_providers',
  connection_targets: 'connection_targets',
  break_glass: 'break_glass',
} as const;
export type AdministrationArea = keyof typeof administrationAreas;
export const allAdministrationAreas = Object.keys(administrationAreas) as AdministrationArea[];

registerEnumType(administrationAreas, {
  name: 'AdministrationArea',
  description: 'A kind of administration that can require a second administrator.',
  valuesMap: {
    policies: { description: 'Publishing policies, earlier revisions included.' },
    tool_effects: { description: 'Confirming the effect and the definition of tools.' },
    approval_steps: { description: 'Creating and changing approval steps.' },
    approver_groups: {
      description:
        'Changing who approves: members of groups that approve or escalate, the groups of steps, and substitutes that administrators name for others.',
    },
    roles: { description: 'Granting and withdrawing roles of members, and reactivating members with roles.' },
    sign_in_providers: { description: 'Adding, changing and removing sign-in providers.' },
    connection_targets: { description: 'Adding integrations, and changing their host, port, command or account.' },
    break_glass: { description: 'Granting the right to override pending approvals.' },
  },
});

/** For texts: "approver groups". */
export const areaNames: Record<AdministrationArea, string> = {
  policies: 'policies',
  tool_effects: 'tool effects',
  approval_steps: 'approval steps',
  approver_groups: 'approver groups',
  roles: 'roles',
  sign_in_providers: 'sign-in providers',
  connection_targets: 'integration targets',
  break_glass: 'break-glass rights',
};
