import { Button, Paper } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { Page } from '../../kit/page.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { ConfigurationForm, type ConfigurationValues } from '../../features/configurations/configuration-form.tsx';

const list = '/agents/capabilities/configurations';
const trail = [['Capabilities', list]] as const;

const mutation = graphql(`
  mutation CreateConfiguration($input: CreateConfigurationInput!) {
    createConfiguration(input: $input) {
      id
    }
  }
`);

const emptyValues: ConfigurationValues = {
  name: '',
  description: '',
  groupIds: [],
  connectionIds: [],
  modelConnectionId: null,
};

export function Component() {
  const [parameters] = useSearchParams();
  const integrationId = parameters.get('integration');
  const [initial] = useState(() => ({ ...emptyValues, connectionIds: integrationId ? [integrationId] : [] }));
  const [values, setValues] = useState<ConfigurationValues>(initial);
  const [createdId, setCreatedId] = useState<string>();
  const { send, problem, isSending } = useChange(mutation, {
    done: 'Configuration created.',
    onDone: ({ createConfiguration: { id } }) => setCreatedId(id),
  });
  if (createdId) return <Navigate to={`${list}/${createdId}/overview`} replace />;
  return (
    <Page
      title="Create configuration"
      lead="The default policy allows read-only tools, requires approval for writes, and forbids destructive tools."
      trail={trail}
    >
      <Paper p="lg" maw="44rem">
        <ConfigurationForm
          values={values}
          onChange={setValues}
          problem={problem}
          isSending={isSending}
          verb="Create configuration"
          cancel={
            <Button component={Link} to={list} variant="default">
              Cancel
            </Button>
          }
          onSave={() => send({ input: values })}
        />
      </Paper>
      <Unsaved isDirty={values !== initial} />
    </Page>
  );
}
