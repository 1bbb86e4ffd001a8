import { Badge, Checkbox, Group, Stack } from '@mantine/core';
import type { graphql } from '../../api/graphql.ts';

export type Role = ReturnType<typeof graphql.scalar<'Role'>>;

const words: Record<Role, { name: string; what: string }> = {
  admin: { name: 'Administrator', what: 'Connects systems, publishes policies, manages people, and sees all tasks.' },
  auditor: { name: 'Auditor', what: 'Reads the audit log, policies, and the arguments of calls. Changes nothing.' },
  analyst: { name: 'Analyst', what: 'Reads spend and estate; single people only of the groups named for it.' },
  member: { name: 'Member', what: 'Uses what their groups may use, and decides approvals of their steps.' },
};

export const roleChoices = Object.entries(words).map(([value, { name }]) => ({ value, label: name }));
export const roleNames = (roles: readonly Role[]): string => roles.map((role) => words[role].name).join(', ');

/** Everybody is a member, so that is said only of those who are nothing else. */
export const RoleBadges = ({ roles }: { roles: readonly Role[] }) => (
  <Group gap={4} display="inline-flex">
    {roles
      .filter((role) => role !== 'member' || roles.length === 1)
      .map((role) => (
        <Badge key={role} color={role === 'admin' ? 'sign' : 'gray'}>
          {words[role].name}
        </Badge>
      ))}
  </Group>
);

interface Props {
  value: Role[];
  onChange(roles: Role[]): void;
  /** Left out where a heading says it. */
  label?: string;
}

export const RoleBoxes = ({ value, onChange, label }: Props) => (
  <Checkbox.Group label={label} aria-label="Roles" value={value} onChange={onChange}>
    <Stack gap="xs" mt={label ? 'xs' : 0}>
      {(Object.keys(words) as Role[]).map((role) => (
        <Checkbox
          key={role}
          value={role}
          label={words[role].name}
          description={words[role].what}
          disabled={role === 'member'}
        />
      ))}
    </Stack>
  </Checkbox.Group>
);
