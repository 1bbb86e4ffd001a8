import { Button, Group, MultiSelect, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf } from '../../kit/use-change.tsx';
import { useChoices } from './choices.ts';

export interface Values {
  name: string;
  description: string;
  groupIds: string[];
  modelConnectionId: string | null;
  /** Only where a new one is made; later they have a tab of their own. */
  connectionIds?: string[];
}

interface Props {
  values: Values;
  onChange(values: Values): void;
  problem: Problem | null;
  isSending: boolean;
  verb: string;
  cancel: ReactNode;
  onSave(): void;
}

const named = ['name', 'description'];

export function ConfigurationForm({ values, onChange, problem, isSending, verb, cancel, onSave }: Props) {
  const set = (part: Partial<Values>) => onChange({ ...values, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !named.some((field) => faultOf(problem, field)) && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="What the agent card calls it."
          required
          maxLength={80}
          data-autofocus
          value={values.name}
          error={faultOf(problem, 'name') ?? (problem?.code === 'configuration-name-taken' && problem.message)}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
        <Textarea
          label="Description"
          description="What the agent card says it is for. Agents choose by it."
          autosize
          minRows={2}
          maxLength={2000}
          value={values.description}
          error={faultOf(problem, 'description')}
          onChange={({ currentTarget: { value } }) => set({ description: value })}
        />
        <Parts values={values} set={set} />
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

function Parts({ values, set }: { values: Values; set(part: Partial<Values>): void }) {
  const { groups, integrations, models } = useChoices();
  return (
    <>
      {values.connectionIds && (
        <MultiSelect
          label="Integrations"
          description="The systems whose tools and documents it reaches."
          data={integrations}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'No integrations' }}
          nothingFoundMessage="No such integration"
          value={values.connectionIds}
          onChange={(connectionIds) => set({ connectionIds })}
        />
      )}
      <MultiSelect
        label="Groups that may use it"
        description="Their members reach it with assistants and products; its agents read what is shared with these groups."
        data={groups}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'No groups' }}
        nothingFoundMessage="No such group"
        value={values.groupIds}
        onChange={(groupIds) => set({ groupIds })}
      />
      <Select
        label="Language model"
        description="Works on tasks. Left empty: the one that the operator has set, or else the built-in one, which only cites and acts on exact instructions."
        placeholder="As the operator has set"
        data={models}
        clearable
        clearButtonProps={{ 'aria-label': 'No model of its own' }}
        value={values.modelConnectionId}
        onChange={(modelConnectionId) => set({ modelConnectionId })}
      />
    </>
  );
}
