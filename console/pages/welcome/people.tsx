import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
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
  if (progress.memberCount > 1)
    return (
      <Section
        title="Second approver"
        lead={`Your organization has ${progress.memberCount} members, so one person can approve what another requests.`}
      >
        <Next />
      </Section>
    );
  return (
    <Section
      title="Second approver"
      lead="Write calls wait for approval. With a second administrator, requesters don't approve their own calls."
    >
      <Stack>
        {progress.invitations.map(({ id, email }) => (
          <Text key={id} size="sm">
            <Untrusted text={email ?? ''} /> is invited. Send them the invite link. It works once and expires after 24
            hours.
          </Text>
        ))}
        <Group>
          <Button onClick={() => setInviting(true)}>Invite person</Button>
          {progress.invitations.length > 0 && (
            <Button component={Link} to="/welcome/integration" variant="default">
              Next
            </Button>
          )}
        </Group>
        <Alert
          color="yellow"
          variant="light"
          icon={<IconAlertTriangle aria-hidden />}
          title="Continue without a second approver"
        >
          <Text size="sm" mb="sm">
            You confirm your own agents’ write calls. Until another person joins, these approvals are marked
            “self-approved” on the task and in the audit log.
          </Text>
          <Button component={Link} to="/welcome/integration" variant="default">
            Continue alone
          </Button>
        </Alert>
      </Stack>
    </Section>
  );
}

const Next = () => (
  <Button component={Link} to="/welcome/integration">
    Next
  </Button>
);
