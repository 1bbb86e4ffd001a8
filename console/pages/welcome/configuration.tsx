import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { useMe } from '../../kit/me.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { ReviewerAdvice, type ReviewerStatus } from '../../features/approvals/reviewers.tsx';
import { ConfigurationForm, type ConfigurationValues } from '../../features/configurations/configuration-form.tsx';
import { type SetupConfiguration, type SetupProgress, useSetup } from './setup-progress.ts';

const createConfiguration = graphql(`
  mutation CreateFirstConfiguration($input: CreateConfigurationInput!) {
    createConfiguration(input: $input) {
      id
    }
  }
`);

export function Component() {
  const { progress, refetch } = useSetup();
  const { configuration } = progress;
  return configuration ? (
    <CreatedConfiguration configuration={configuration} />
  ) : (
    <NewConfiguration progress={progress} onCreated={refetch} />
  );
}

const CreatedConfiguration = ({ configuration: { id, name } }: { configuration: SetupConfiguration }) => (
  <Section title="First configuration">
    <Stack>
      <Text size="sm">
        “<Untrusted text={name} />” was created. To control what its agents can do, edit{' '}
        <Anchor component={Link} to={`/agents/capabilities/configurations/${id}/policy`} underline="always" inherit>
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

function NewConfiguration({ progress, onCreated }: { progress: SetupProgress; onCreated(): void }) {
  const { tenant } = useMe();
  const [values, setValues] = useState<ConfigurationValues>({
    name: `${tenant.name} assistant`.slice(0, 80),
    description: '',
    groupIds: [],
    modelConnectionId: progress.models[0]?.id ?? null,
    connectionIds: progress.integrations.map(({ id }) => id),
  });
  const { send, problem, isSending } = useChange(createConfiguration, { onDone: onCreated });
  return (
    <Section
      title="First configuration"
      lead="A configuration defines which integrations agents can use, and under which policy."
    >
      <Stack maw="40rem">
        <DefaultPolicy reviewerStatus={progress.reviewerStatus} />
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

const writeRules: Record<ReviewerStatus, string> = {
  available: 'Write calls wait until another person approves them.',
  invited: 'Write calls need the approval of another person.',
  missing: 'Write calls need the approval of another person.',
  dependent: 'Write calls wait until another administrator confirms them.',
  alone: 'Write calls wait until you confirm them.',
};

const DefaultPolicy = ({ reviewerStatus }: { reviewerStatus: ReviewerStatus }) => (
  <Alert variant="light" icon={<IconShieldCheck aria-hidden />} title="Default policy">
    <Text size="sm">
      Read-only tools are allowed. {writeRules[reviewerStatus]} Destructive tools are forbidden. You can change the
      policy later.
    </Text>
    {reviewerStatus !== 'alone' && reviewerStatus !== 'available' && (
      <Text size="sm" mt="xs">
        <ReviewerAdvice status={reviewerStatus} />
      </Text>
    )}
  </Alert>
);
