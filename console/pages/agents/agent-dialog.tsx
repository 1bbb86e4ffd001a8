import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useMe } from '../../kit/me.tsx';
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
  /** The edited agent; null: the dialog is closed. */
  agent: Agent | 'new' | null;
  onClose(): void;
}

export const AgentDialog = ({ configurationId, agent, onClose }: Props) => (
  <Modal
    opened={agent !== null}
    onClose={onClose}
    title={agent === 'new' ? 'Add agent identity' : 'Edit agent identity'}
  >
    {agent === 'new' ? (
      <NewAgent configurationId={configurationId} onClose={onClose} />
    ) : (
      agent && <EditAgent agent={agent} onClose={onClose} />
    )}
  </Modal>
);

interface Values {
  name: string;
  responsibleMemberId: string;
}

function NewAgent({ configurationId, onClose }: Omit<Props, 'agent'>) {
  const { member } = useMe();
  const change = useChange(create, { done: 'Identity added. Generate a key for it on the A2A tab.', onDone: onClose });
  return (
    <AgentForm
      initial={{ name: '', responsibleMemberId: member.id }}
      change={change}
      verb="Add identity"
      onSave={(values) => change.send({ input: { configurationId, ...values } })}
    />
  );
}

function EditAgent({ agent: { id: agentId, name, responsibleMember }, onClose }: { agent: Agent; onClose(): void }) {
  const change = useChange(update, { done: 'Identity saved.', onDone: onClose });
  return (
    <AgentForm
      initial={{ name, responsibleMemberId: responsibleMember.id }}
      change={change}
      verb="Save identity"
      onSave={(values) => change.send({ input: { agentId, ...values } })}
    />
  );
}

interface FormProps {
  initial: Values;
  change: Pick<ReturnType<typeof useChange>, 'problem' | 'isSending'>;
  verb: string;
  onSave(values: Values): void;
}

function AgentForm({ initial, change: { problem, isSending }, verb, onSave }: FormProps) {
  const [values, setValues] = useState(initial);
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
          description="Identifies the caller in approvals, tasks, and the audit log."
          required
          maxLength={80}
          data-autofocus
          value={values.name}
          error={faultOf(problem, 'name')}
          onChange={({ currentTarget: { value: name } }) => setValues({ ...values, name })}
        />
        <MemberPicker
          label="Responsible member"
          description="Accountable for the agent, and can't approve its requests. If this member is suspended, the agent's keys are refused."
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
