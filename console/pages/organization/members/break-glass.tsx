import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { useMe } from '../../../kit/me.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import type { Member } from './member-query.ts';

const query = graphql(`
  query BreakGlassRightsOfMembers {
    breakGlassRights {
      memberId
      grantedAt
    }
  }
`);
const grantRight = graphql(`
  mutation GrantBreakGlassRight($input: BreakGlassInput!) {
    grantBreakGlassRight(input: $input) {
      memberId
    }
  }
`);
const revokeRight = graphql(`
  mutation RevokeBreakGlassRight($input: BreakGlassInput!) {
    revokeBreakGlassRight(input: $input)
  }
`);

/** Whether the member may override pending approvals in an emergency. */
export function BreakGlass({ member: { id, name, status } }: { member: Member }) {
  const { member: viewer } = useMe();
  const [{ data }, reload] = useQuery({ query });
  const [isGranting, granting] = useDisclosure();
  const refetch = () => reload({ requestPolicy: 'network-only' });
  useChangeEvents('organization', refetch);
  const grant = useChange(grantRight, {
    done: 'Break-glass rights granted.',
    onProposed: granting.close,
    onDone: () => {
      granting.close();
      refetch();
    },
  });
  const revoke = useChange(revokeRight, { done: 'Break-glass rights revoked.', onDone: refetch, isLoud: true });
  if (!data) return null;
  const right = data.breakGlassRights.find(({ memberId }) => memberId === id);
  const input = { memberId: id };
  const canGrant = status === 'active' && viewer.id !== id;
  return (
    <Section
      title="Break-glass rights"
      lead="In an emergency, the member can override pending approvals of calls that they did not request. Every override notifies all administrators and has to be reviewed by another member."
      actions={
        right ? (
          <Button variant="default" loading={revoke.isSending} onClick={() => revoke.send({ input })}>
            Revoke rights
          </Button>
        ) : (
          canGrant && (
            <Button variant="default" onClick={granting.open}>
              Grant rights
            </Button>
          )
        )
      }
    >
      <Text size="sm">
        {right ? (
          <>
            Granted <When at={right.grantedAt} />. Covers calls that were requested since then.
          </>
        ) : viewer.id === id ? (
          'Not granted. Another administrator can grant them to you.'
        ) : (
          'Not granted.'
        )}
      </Text>
      <Confirm
        opened={isGranting}
        onClose={granting.close}
        title={`Grant break-glass rights to ${visible(name)}?`}
        verb="Grant rights"
        problem={grant.problem}
        isSending={grant.isSending}
        onConfirm={() => grant.send({ input })}
      >
        <Text size="sm">
          {visible(name)} can then see all pending approvals and run a call without its approvers. Grant these rights
          only to people who are on call for emergencies.
        </Text>
      </Confirm>
    </Section>
  );
}
