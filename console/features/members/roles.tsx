import { Badge, Checkbox, Group, Stack } from '@mantine/core';
import type { graphql } from '../../api/graphql.ts';

export type Role = ReturnType<typeof graphql.scalar<'Role'>>;

const labels: Record<Role, { name: string; description: string }> = {
  admin: { name: 'Administrator', description: 'Manages integrations, policies, and members, and sees all tasks.' },
  auditor: { name: 'Auditor', description: 'Reads the audit log, policies, and call arguments. Read-only.' },
  analyst: {
    name: 'Analyst',
    description: 'Reads spend and AI estate. Sees individual usage only of assigned groups.',
  },
  member: { name: 'Member', description: 'Uses what their groups allow, and decides the approvals assigned to them.' },
};

export const roleChoices = Object.entries(labels).map(([value, { name }]) => ({ value, label: name }));
export const roleNames = (roles: readonly Role[]): string => roles.map((role) => labels[role].name).join(', ');

/** Everyone has the role member, so it is shown only where it is the only one. */
export const RoleBadges = ({ roles }: { roles: readonly Role[] }) => (
  <Group gap={4} display="inline-flex">
    {roles
      .filter((role) => role !== 'member' || roles.length === 1)
      .map((role) => (
        <Badge key={role} color={role === 'admin' ? 'sign' : 'gray'}>
          {labels[role].name}
        </Badge>
      ))}
  </Group>
);

interface Props {
  value: Role[];
  onChange(roles: Role[]): void;
  /** Undefined where a heading names the roles. */
  label?: string;
}

export const RoleBoxes = ({ value, onChange, label }: Props) => (
  <Checkbox.Group label={label} aria-label="Roles" value={value} onChange={onChange}>
    <Stack gap="xs" mt={label ? 'xs' : 0}>
      {(Object.keys(labels) as Role[]).map((role) => (
        <Checkbox
          key={role}
          value={role}
          label={labels[role].name}
          description={labels[role].description}
          disabled={role === 'member'}
        />
      ))}
    </Stack>
  </Checkbox.Group>
);
