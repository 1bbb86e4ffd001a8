import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { type Role, RoleBoxes } from '../../../features/members/roles.tsx';
import type { Member } from './member-query.ts';

const setMemberRoles = graphql(`
  mutation SetMemberRoles($input: SetMemberRolesInput!) {
    setMemberRoles(input: $input) {
      id
      roles
    }
  }
`);

/** Sends the roles that the form started with, so that concurrent changes are not overwritten. */
export function MemberRoles({ member: { id, roles } }: { member: Member }) {
  const [chosen, choose] = useState<Role[] | null>(null);
  const [basedOn, setBasedOn] = useState(roles);
  const { send, problem, isSending, forget } = useChange(setMemberRoles, {
    done: 'Roles saved. They apply to the next request.',
    onDone: () => choose(null),
    onProposed: () => choose(null),
  });
  const start = (next: Role[]) => {
    if (!chosen) setBasedOn(roles);
    choose(next);
  };
  const discard = () => {
    choose(null);
    forget();
  };
  return (
    <Section title="Roles" lead="Permissions of roles add up. Changes apply to the next request.">
      <Stack>
        {problem && <ProblemNote problem={problem} retry={problem.code === 'conflict' ? discard : undefined} />}
        <RoleBoxes value={chosen ?? roles} onChange={start} />
        {chosen && (
          <Group>
            <Button loading={isSending} onClick={() => send({ input: { memberId: id, roles: chosen, basedOn } })}>
              Save roles
            </Button>
            <Button variant="default" onClick={discard}>
              Discard changes
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}
