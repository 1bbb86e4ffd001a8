import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { hasSecondPerson, ReviewerAdvice } from '../../features/approvals/reviewers.tsx';
import { InviteForm } from '../../features/members/invite.tsx';
import { useSetup } from './setup-progress.ts';

export function Component() {
  const { progress, refetch } = useSetup();
  const navigate = useNavigate();
  const [isInviting, setInviting] = useState(false);
  const goToNextStep = () => void navigate('/welcome/integration');
  if (isInviting)
    return (
      <Section
        title="Invite another administrator"
        lead="Administrators can approve the calls that your agents request."
      >
        <InviteForm
          roles={['admin', 'member']}
          onInvited={refetch}
          onDone={goToNextStep}
          onCancel={() => setInviting(false)}
        />
      </Section>
    );
  const { reviewerStatus, invitations, memberCount } = progress;
  if (hasSecondPerson(reviewerStatus))
    return (
      <Section title="Second approver" lead={`Your organization has ${memberCount} members.`}>
        <Stack>
          <Text size="sm">
            {reviewerStatus === 'available' ? (
              'One person can approve what another requests.'
            ) : (
              <ReviewerAdvice status={reviewerStatus} />
            )}
          </Text>
          <Group>
            <Next />
          </Group>
        </Stack>
      </Section>
    );
  return (
    <Section
      title="Second approver"
      lead="Write calls wait for approval. With a second administrator, requesters don't approve their own calls."
    >
      <Stack>
        {invitations.map(({ id, email }) => (
          <Text key={id} size="sm">
            <Untrusted text={email ?? ''} /> is invited. Send them the invite link. It works once and expires after 24
            hours.
          </Text>
        ))}
        {reviewerStatus === 'invited' && (
          <Text size="sm">
            <ReviewerAdvice status={reviewerStatus} />
          </Text>
        )}
        <Group>
          {reviewerStatus === 'invited' && <Next />}
          <Button variant={reviewerStatus === 'invited' ? 'default' : 'filled'} onClick={() => setInviting(true)}>
            Invite person
          </Button>
        </Group>
        {reviewerStatus === 'alone' && <Alone />}
        {reviewerStatus === 'missing' && <MissingAdmin />}
      </Stack>
    </Section>
  );
}

const Alone = () => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconAlertTriangle aria-hidden />}
    title="Continue without a second approver"
  >
    <Text size="sm" mb="sm">
      You confirm your own agents’ write calls. Until another person joins, these approvals are marked “self-approved”
      on the task and in the audit log.
    </Text>
    <Button component={Link} to="/welcome/integration" variant="default">
      Continue alone
    </Button>
  </Alert>
);

const MissingAdmin = () => (
  <Stack gap="sm" align="flex-start">
    <Text size="sm">
      <ReviewerAdvice status="missing" />
    </Text>
    <Button component={Link} to="/welcome/integration" variant="default">
      Continue anyway
    </Button>
  </Stack>
);

const Next = () => (
  <Button component={Link} to="/welcome/integration">
    Next
  </Button>
);
