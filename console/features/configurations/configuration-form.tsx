import { Button, Group, MultiSelect, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import { listAbove } from '../../kit/list-above.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf } from '../../kit/use-change.tsx';
import { useChoices } from './choices.ts';

export interface ConfigurationValues {
  name: string;
  description: string;
  groupIds: string[];
  modelConnectionId: string | null;
  /** Only for a new configuration. An existing one has an Integrations tab. */
  connectionIds?: string[];
}

interface Props {
  values: ConfigurationValues;
  onChange(values: ConfigurationValues): void;
  problem: Problem | null;
  isSending: boolean;
  verb: string;
  cancel: ReactNode;
  onSave(): void;
}

const fieldsWithError = ['name', 'description'];

export function ConfigurationForm({ values, onChange, problem, isSending, verb, cancel, onSave }: Props) {
  const set = (part: Partial<ConfigurationValues>) => onChange({ ...values, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !fieldsWithError.some((field) => faultOf(problem, field)) && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="Shown on the agent card."
          required
          maxLength={80}
          data-autofocus
          value={values.name}
          error={faultOf(problem, 'name') ?? (problem?.code === 'configuration-name-taken' && problem.message)}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
        <Textarea
          label="Description"
          description="Shown on the agent card. Agents use it to choose a configuration."
          autosize
          minRows={2}
          maxLength={2000}
          value={values.description}
          error={faultOf(problem, 'description')}
          onChange={({ currentTarget: { value } }) => set({ description: value })}
        />
        <ResourceFields values={values} set={set} />
        <Group justify="flex-end">
          {cancel}
          <Button type="submit" loading={isSending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ResourceFields({
  values,
  set,
}: {
  values: ConfigurationValues;
  set(part: Partial<ConfigurationValues>): void;
}) {
  const { groups, integrations, models } = useChoices();
  return (
    <>
      {values.connectionIds && (
        <MultiSelect
          label="Integrations"
          description="The tools and documents that agents can use."
          data={integrations}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear integrations' }}
          nothingFoundMessage="No matching integrations"
          comboboxProps={listAbove}
          value={values.connectionIds}
          onChange={(connectionIds) => set({ connectionIds })}
        />
      )}
      <MultiSelect
        label="Groups with access"
        description="Members of these groups can use it from assistants and products. Its agents can read documents shared with these groups."
        data={groups}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear groups' }}
        nothingFoundMessage="No matching groups"
        comboboxProps={listAbove}
        value={values.groupIds}
        onChange={(groupIds) => set({ groupIds })}
      />
      <Select
        label="Language model"
        description="Runs tasks. Leave empty for the server default or, if there is none, the built-in agent, which only cites documents and runs exact instructions."
        placeholder="Server default"
        data={models}
        clearable
        clearButtonProps={{ 'aria-label': 'Language model: server default' }}
        value={values.modelConnectionId}
        onChange={(modelConnectionId) => set({ modelConnectionId })}
      />
    </>
  );
}
