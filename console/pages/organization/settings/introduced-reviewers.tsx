import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useMe } from '../../../kit/me.tsx';
import { Confirm } from '../../../kit/confirm.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query IntroducedReviewers {
    introducedReviewers {
      proposedBy
      proposedAt
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
      proposedAt
    }
  }
`);
const confirm = graphql(`
  mutation ConfirmIntroducedReviewers {
    confirmIntroducedReviewers {
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
  const { member } = useMe();
  const [{ data }, again] = useQuery({ query });
  const [isConfirmOpen, setConfirmOpen] = useState(false);
  const onDone = () => {
    setConfirmOpen(false);
    again({ requestPolicy: 'network-only' });
  };
  const proposing = useChange(propose, { done: 'Setting proposed. Another administrator has to confirm it.', onDone });
  const confirming = useChange(confirm, { done: 'Setting confirmed. Introduced members can review.', onDone });
  const withdrawing = useChange(withdraw, { done: 'Setting turned off.', onDone });
  if (!data) return null;
  const setting = data.introducedReviewers;
  const isProposer = setting?.proposedBy === member.id;
  return (
    <Section
      title="Reviews by introduced members"
      lead="Off: members can't review calls of the person who invited them, reset their password, or configured their sign-in provider, until an independent member vouches for them. On: they can. Requesters never review their own calls."
    >
      <Stack gap="sm">
        {(confirming.problem ?? withdrawing.problem) && (
          <ProblemNote problem={(confirming.problem ?? withdrawing.problem)!} />
        )}
        <Text size="sm">
          {!setting && 'Off.'}
          {setting && !setting.confirmedAt && (
            <>
              Off. Proposed by <Untrusted text={setting.proposer?.name ?? 'a former member'} />{' '}
              <When at={setting.proposedAt} />. An independent administrator has to confirm it.
            </>
          )}
          {setting?.confirmedAt && (
            <>
              On. Proposed by <Untrusted text={setting.proposer?.name ?? 'a former member'} />, confirmed by{' '}
              <Untrusted text={setting.confirmer?.name ?? 'a former member'} /> <When at={setting.confirmedAt} />.
            </>
          )}
        </Text>
        <Group>
          {!setting && (
            <Button variant="default" onClick={() => setConfirmOpen(true)}>
              Propose setting
            </Button>
          )}
          {setting && !setting.confirmedAt && !isProposer && (
            <Button loading={confirming.isSending} onClick={() => confirming.send({})}>
              Confirm setting
            </Button>
          )}
          {setting && (
            <Button variant="default" loading={withdrawing.isSending} onClick={() => withdrawing.send({})}>
              {setting.confirmedAt ? 'Turn off' : 'Withdraw proposal'}
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
