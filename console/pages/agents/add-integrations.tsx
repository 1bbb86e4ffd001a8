import { Anchor, Button, Group, Modal, MultiSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { listAbove } from '../../kit/list-above.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { useChoices } from '../../features/configurations/choices.ts';
import { setIntegrations } from './set-integrations.ts';

interface Props {
  configuration: { id: string; revision: number; connections: { id: string }[] };
  opened: boolean;
  onClose(): void;
}

export const AddIntegrations = ({ opened, ...rest }: Props) => (
  <Modal opened={opened} onClose={rest.onClose} title="Add integrations">
    {opened && <AddIntegrationsForm {...rest} />}
  </Modal>
);

function AddIntegrationsForm({ configuration: { id, revision, connections }, onClose }: Omit<Props, 'opened'>) {
  const [chosen, choose] = useState<string[]>([]);
  const { integrations } = useChoices();
  const { send, problem, isSending } = useChange(setIntegrations, { done: 'Integrations added.', onDone: onClose });
  const currentIds = connections.map((one) => one.id);
  const others = integrations.filter(({ value }) => !currentIds.includes(value));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { configurationId: id, revision, connectionIds: [...currentIds, ...chosen] } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <MultiSelect
          label="Integrations"
          data={others}
          searchable
          data-autofocus
          nothingFoundMessage="No matching integrations"
          comboboxProps={listAbove}
          value={chosen}
          onChange={choose}
        />
        <Text size="sm" c="dimmed">
          To connect another system, go to{' '}
          <Anchor component={Link} to="/integrations/new" inherit>
            Integration settings
          </Anchor>
          .
        </Text>
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!chosen.length}>
            Add integrations
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
