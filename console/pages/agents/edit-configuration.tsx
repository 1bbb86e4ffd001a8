import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useChange } from '../../kit/use-change.tsx';
import { ConfigurationForm, type ConfigurationValues } from '../../features/configurations/configuration-form.tsx';
import type { Configuration } from './configuration-query.ts';

const mutation = graphql(`
  mutation UpdateConfiguration($input: UpdateConfigurationInput!) {
    updateConfiguration(input: $input) {
      id
      revision
    }
  }
`);

interface Props {
  of: Configuration;
  opened: boolean;
  onClose(): void;
}

export const EditConfiguration = ({ of, opened, onClose }: Props) => (
  <Modal opened={opened} onClose={onClose} title="Edit configuration" size="lg">
    {opened && <EditForm of={of} onClose={onClose} />}
  </Modal>
);

const valuesOf = ({ name, description, groups, modelConnectionId }: Configuration): ConfigurationValues => ({
  name,
  description,
  groupIds: groups.map(({ id }) => id),
  modelConnectionId,
});

function EditForm({ of, onClose }: Pick<Props, 'of' | 'onClose'>) {
  // the revision makes the server reject the update if another person saved first
  const [{ id: configurationId, revision, before }] = useState({ ...of, before: valuesOf(of) });
  const [values, setValues] = useState(before);
  const { send, problem, isSending } = useChange(mutation, { done: 'Configuration saved.', onDone: onClose });
  return (
    <ConfigurationForm
      values={values}
      onChange={setValues}
      problem={problem}
      isSending={isSending}
      verb="Save configuration"
      cancel={
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      }
      onSave={() => send({ input: { configurationId, revision, ...values } })}
    />
  );
}
