import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { type Role, RoleBoxes } from '../roles.tsx';
import type { Member } from './member.tsx';

const setMemberRoles = graphql(`
  mutation SetMemberRoles($input: SetMemberRolesInput!) {
    setMemberRoles(input: $input) {
      id
      roles
    }
  }
`);

/** The roles that were seen go along, so that nobody takes back unseen what somebody else has just given. */
export function MemberRoles({ member: { id, roles } }: { member: Member }) {
  const [chosen, choose] = useState<Role[] | null>(null);
  const [seen, setSeen] = useState(roles);
  const { send, problem, isSending, forget } = useChange(setMemberRoles, {
    done: 'Saved: the roles hold from the next request on.',
    onDone: () => choose(null),
  });
  const start = (next: Role[]) => {
    if (!chosen) setSeen(roles);
    choose(next);
  };
  const discard = () => {
    choose(null);
    forget();
  };
  return (
    <Section title="Roles" lead="They add up, and hold from the next request on.">
      <Stack>
        {problem && <ProblemNote problem={problem} again={problem.code === 'conflict' ? discard : undefined} />}
        <RoleBoxes value={chosen ?? roles} onChange={start} />
        {chosen && (
          <Group>
            <Button loading={isSending} onClick={() => send({ input: { memberId: id, roles: chosen, basedOn: seen } })}>
              Save roles
            </Button>
            <Button variant="default" onClick={discard}>
              Discard
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}
