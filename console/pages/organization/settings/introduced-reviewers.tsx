import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query IntroducedReviewers {
    introducedReviewers {
      confirmedAt
      proposer {
        name
      }
      confirmer {
        name
      }
    }
  }
`);
const propose = graphql(`
  mutation ProposeIntroducedReviewers {
    proposeIntroducedReviewers {
      confirmedAt
    }
  }
`);
const withdraw = graphql(`
  mutation WithdrawIntroducedReviewers {
    withdrawIntroducedReviewers
  }
`);

/** Two administrators allow members to review calls of the people who introduced them. */
export function IntroducedReviewers() {
  const [{ data }, reload] = useQuery({ query });
  const [isConfirmOpen, setConfirmOpen] = useState(false);
  const refetch = () => reload({ requestPolicy: 'network-only' });
  useChangeEvents('organization', refetch);
  const proposing = useChange(propose, { onProposed: () => setConfirmOpen(false) });
  const withdrawing = useChange(withdraw, { done: 'Setting turned off.', onDone: refetch });
  if (!data) return null;
  const setting = data.introducedReviewers;
  return (
    <Section
      title="Reviews by introduced members"
      lead="Off: members can't review calls of the person who invited them, reset their password, or configured their sign-in provider, until an independent member vouches for them. On: they can. Requesters never review their own calls."
    >
      <Stack gap="sm">
        {withdrawing.problem && <ProblemNote problem={withdrawing.problem} />}
        <Text size="sm">
          {setting ? (
            <>
              On. Proposed by <Untrusted text={setting.proposer?.name ?? 'a former member'} />, confirmed by{' '}
              <Untrusted text={setting.confirmer?.name ?? 'a former member'} /> <When at={setting.confirmedAt} />.
            </>
          ) : (
            'Off. To turn it on, an independent administrator has to confirm it.'
          )}
        </Text>
        <Group>
          {setting ? (
            <Button variant="default" loading={withdrawing.isSending} onClick={() => withdrawing.send({})}>
              Turn off
            </Button>
          ) : (
            <Button variant="default" onClick={() => setConfirmOpen(true)}>
              Propose setting
            </Button>
          )}
        </Group>
      </Stack>
      <Confirm
        opened={isConfirmOpen}
        onClose={() => setConfirmOpen(false)}
        title="Allow reviews by introduced members?"
        verb="Propose setting"
        problem={proposing.problem}
        isSending={proposing.isSending}
        onConfirm={() => proposing.send({})}
      >
        <Text size="sm">
          An administrator could then invite a second account of their own and approve their own calls with it. The
          setting takes effect when an independent administrator confirms it.
        </Text>
      </Confirm>
    </Section>
  );
}
