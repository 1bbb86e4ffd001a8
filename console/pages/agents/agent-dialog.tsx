import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useMe } from '../../app/me.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import type { Agent } from './configuration-query.ts';
import { MemberPicker } from './member-picker.tsx';

const create = graphql(`
  mutation CreateAgent($input: CreateAgentInput!) {
    createAgent(input: $input) {
      id
    }
  }
`);
const update = graphql(`
  mutation UpdateAgent($input: UpdateAgentInput!) {
    updateAgent(input: $input) {
      id
    }
  }
`);

interface Props {
  configurationId: string;
  /** Whose; null: none, the dialog is closed. */
  agent: Agent | 'new' | null;
  onClose(): void;
}

export const AgentDialog = ({ configurationId, agent, onClose }: Props) => (
  <Modal
    opened={agent !== null}
    onClose={onClose}
    title={agent === 'new' ? 'Add an agent identity' : 'Edit this agent identity'}
  >
    {agent === 'new' ? (
      <NewAgent configurationId={configurationId} onClose={onClose} />
    ) : (
      agent && <OldAgent agent={agent} onClose={onClose} />
    )}
  </Modal>
);

interface Values {
  name: string;
  responsibleMemberId: string;
}

function NewAgent({ configurationId, onClose }: Omit<Props, 'agent'>) {
  const { member } = useMe();
  const change = useChange(create, { done: 'Added. Give it a key on the A2A tab.', onDone: onClose });
  return (
    <AgentForm
      before={{ name: '', responsibleMemberId: member.id }}
      change={change}
      verb="Add"
      onSave={(values) => change.send({ input: { configurationId, ...values } })}
    />
  );
}

function OldAgent({ agent: { id: agentId, name, responsibleMember }, onClose }: { agent: Agent; onClose(): void }) {
  const change = useChange(update, { done: 'Saved.', onDone: onClose });
  return (
    <AgentForm
      before={{ name, responsibleMemberId: responsibleMember.id }}
      change={change}
      verb="Save"
      onSave={(values) => change.send({ input: { agentId, ...values } })}
    />
  );
}

interface FormProps {
  before: Values;
  change: Pick<ReturnType<typeof useChange>, 'problem' | 'isSending'>;
  verb: string;
  onSave(values: Values): void;
}

function AgentForm({ before, change: { problem, isSending }, verb, onSave }: FormProps) {
  const [values, setValues] = useState(before);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(values);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !problem.errors.length && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="Who calls: shown wherever its calls are."
          required
          maxLength={80}
          data-autofocus
          value={values.name}
          error={faultOf(problem, 'name')}
          onChange={({ currentTarget: { value: name } }) => setValues({ ...values, name })}
        />
        <MemberPicker
          label="Responsible member"
          description="Answers for what it does. While they are not active, its keys are refused."
          value={values.responsibleMemberId}
          error={faultOf(problem, 'responsibleMemberId')}
          onChange={(responsibleMemberId) => setValues({ ...values, responsibleMemberId })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
