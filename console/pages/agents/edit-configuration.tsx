import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useChange } from '../../kit/use-change.tsx';
import { ConfigurationForm, type Values } from './configuration-form.tsx';
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
  <Modal opened={opened} onClose={onClose} title="Edit this configuration" size="lg">
    {opened && <EditForm of={of} onClose={onClose} />}
  </Modal>
);

const valuesOf = ({ name, description, groups, modelConnectionId }: Configuration): Values => ({
  name,
  description,
  groupIds: groups.map(({ id }) => id),
  modelConnectionId,
});

function EditForm({ of, onClose }: Pick<Props, 'of' | 'onClose'>) {
  // what somebody else saves meanwhile is refused by the revision, and told
  const [{ id: configurationId, revision, before }] = useState({ ...of, before: valuesOf(of) });
  const [values, setValues] = useState(before);
  const { send, problem, isSending } = useChange(mutation, { done: 'Saved.', onDone: onClose });
  return (
    <ConfigurationForm
      values={values}
      onChange={setValues}
      problem={problem}
      isSending={isSending}
      verb="Save"
      cancel={
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      }
      onSave={() => send({ input: { configurationId, revision, ...values } })}
    />
  );
}
