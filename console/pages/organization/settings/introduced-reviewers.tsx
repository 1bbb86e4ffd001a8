import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useMe } from '../../../app/me.tsx';
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

/** Two administrators decide together that members may review calls of those who introduced them. */
export function IntroducedReviewers() {
  const { member } = useMe();
  const [{ data }, again] = useQuery({ query });
  const [isAsking, setAsking] = useState(false);
  const onDone = () => {
    setAsking(false);
    again({ requestPolicy: 'network-only' });
  };
  const proposing = useChange(propose, { done: 'Proposed. Another administrator has to confirm it.', onDone });
  const confirming = useChange(confirm, { done: 'Introduced members may review now.', onDone });
  const withdrawing = useChange(withdraw, { done: 'Withdrawn.', onDone });
  if (!data) return null;
  const setting = data.introducedReviewers;
  const isProposer = setting?.proposedBy === member.id;
  return (
    <Section
      title="Introduced members may review"
      lead="Off: a member can't review calls of the person who invited them, reset their password or configured their sign-in provider, until somebody independent vouches for them. On: they can. Requesters never review."
    >
      <Stack gap="sm">
        {(confirming.problem ?? withdrawing.problem) && (
          <ProblemNote problem={(confirming.problem ?? withdrawing.problem)!} />
        )}
        <Text size="sm">
          {!setting && 'Off.'}
          {setting && !setting.confirmedAt && (
            <>
              Off. Proposed by <Untrusted text={setting.proposer?.name ?? 'somebody who left'} />{' '}
              <When at={setting.proposedAt} />. An administrator who is independent of them has to confirm it.
            </>
          )}
          {setting?.confirmedAt && (
            <>
              On. Proposed by <Untrusted text={setting.proposer?.name ?? 'somebody who left'} />, confirmed by{' '}
              <Untrusted text={setting.confirmer?.name ?? 'somebody who left'} /> <When at={setting.confirmedAt} />.
            </>
          )}
        </Text>
        <Group>
          {!setting && (
            <Button variant="default" onClick={() => setAsking(true)}>
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
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Let introduced members review?"
        verb="Propose setting"
        problem={proposing.problem}
        isSending={proposing.isSending}
        onConfirm={() => proposing.send({})}
      >
        <Text size="sm">
          An administrator could then invite a second account of their own and approve their own calls with it. The
          setting takes effect when an administrator who is independent of you confirms it.
        </Text>
      </Confirm>
    </Section>
  );
}
