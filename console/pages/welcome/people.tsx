import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { InviteForm } from '../organization/members/invite.tsx';
import { useWelcome } from './progress.ts';

export function Component() {
  const { progress, again } = useWelcome();
  const navigate = useNavigate();
  const [isInviting, setInviting] = useState(false);
  const goOn = () => void navigate('/welcome/integration');
  if (isInviting)
    return (
      <Section title="Invite a second person" lead="As an administrator, they can approve what your agents ask for.">
        <InviteForm roles={['admin', 'member']} onInvited={again} onDone={goOn} onCancel={() => setInviting(false)} />
      </Section>
    );
  if (progress.memberCount > 1)
    return (
      <Section
        title="A second person"
        lead={`You are ${progress.memberCount} now: what one asks for, another one approves.`}
      >
        <Next />
      </Section>
    );
  return (
    <Section
      title="A second person"
      lead="What an agent wants to write waits until a person has looked at it. With a second person, that is somebody who did not ask for it."
    >
      <Stack>
        {progress.invitations.map(({ id, email }) => (
          <Text key={id} size="sm">
            <Untrusted text={email ?? ''} /> is invited. Hand over the link; it works once, for 24 hours.
          </Text>
        ))}
        <Group>
          <Button onClick={() => setInviting(true)}>Invite a second person</Button>
          {progress.invitations.length > 0 && (
            <Button component={Link} to="/welcome/integration" variant="default">
              Next
            </Button>
          )}
        </Group>
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Or go on alone">
          <Text size="sm" mb="sm">
            Then there are no four eyes: you confirm yourself what your agents want to write. Each such approval is
            marked “not four eyes”, on the task and in the audit log, until there is a second person.
          </Text>
          <Button component={Link} to="/welcome/integration" variant="default">
            Go on alone, I confirm myself
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
