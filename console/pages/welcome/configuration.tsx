import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { useMe } from '../../app/me.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { ConfigurationForm, type Values } from '../agents/configuration-form.tsx';
import { type Configuration, type Progress, useWelcome } from './progress.ts';

const createConfiguration = graphql(`
  mutation CreateFirstConfiguration($input: CreateConfigurationInput!) {
    createConfiguration(input: $input) {
      id
    }
  }
`);

export function Component() {
  const { progress, again } = useWelcome();
  const { configuration } = progress;
  return configuration ? <Made configuration={configuration} /> : <Form progress={progress} onMade={again} />;
}

const Made = ({ configuration: { id, name } }: { configuration: Configuration }) => (
  <Section title="First configuration">
    <Stack>
      <Text size="sm">
        “<Untrusted text={name} />” was created. To control what its agents can do, edit{' '}
        <Anchor component={Link} to={`/agents/capabilities/configurations/${id}/policy`} underline="always">
          its policy
        </Anchor>
        .
      </Text>
      <Group>
        <Button component={Link} to="/welcome/task">
          Next
        </Button>
      </Group>
    </Stack>
  </Section>
);

function Form({ progress, onMade }: { progress: Progress; onMade(): void }) {
  const { tenant } = useMe();
  const [values, setValues] = useState<Values>({
    name: `${tenant.name} assistant`.slice(0, 80),
    description: '',
    groupIds: [],
    modelConnectionId: progress.models[0]?.id ?? null,
    connectionIds: progress.integrations.map(({ id }) => id),
  });
  const { send, problem, isSending } = useChange(createConfiguration, { onDone: onMade });
  return (
    <Section
      title="First configuration"
      lead="A configuration defines which integrations agents can use, and under which policy."
    >
      <Stack maw="40rem">
        <Rules isAlone={progress.memberCount === 1} />
        <ConfigurationForm
          values={values}
          onChange={setValues}
          problem={problem}
          isSending={isSending}
          verb="Create configuration"
          cancel={
            <Button component={Link} to="/welcome/model" variant="default">
              Back
            </Button>
          }
          onSave={() => send({ input: values })}
        />
      </Stack>
    </Section>
  );
}

const Rules = ({ isAlone }: { isAlone: boolean }) => (
  <Alert variant="light" icon={<IconShieldCheck aria-hidden />} title="Default policy">
    Read-only tools are allowed. Write calls wait until {isAlone ? 'you confirm them' : 'another person approves them'}.
    Destructive tools are forbidden. You can change the policy later.
  </Alert>
);
