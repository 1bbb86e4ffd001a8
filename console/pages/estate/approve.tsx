import { Alert, Button, Group, Modal, Radio, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { graphql, type VariablesOf } from '../../api/graphql.ts';
import type { Problem } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { type EntryNode, packageName, commandOrUrl } from './definition.tsx';

const approveEntry = graphql(`
  mutation ApproveEstateEntry($input: ApproveEstateEntryInput!) {
    approveEstateEntry(input: $input) {
      id
    }
  }
`);
const approveServers = graphql(`
  mutation ApproveEstateServers($input: ApproveEstateServersInput!) {
    approveEstateServers(input: $input) {
      id
    }
  }
`);
export type ApprovalKind = VariablesOf<typeof approveServers>['input']['kind'];

const done = 'Approved. Rechecking findings.';

/** Approves exactly one definition; a changed definition needs a new approval. */
export function ApproveEntry({ entry, onClose, onDone }: { entry: EntryNode; onClose(): void; onDone?(): void }) {
  const [note, setNote] = useState('');
  const { send, problem, isSending } = useChange(approveEntry, {
    done,
    onDone: () => {
      onClose();
      onDone?.();
    },
  });
  return (
    <Form
      title={`Approve definition of ${visible(entry.name)}?`}
      verb="Approve definition"
      {...{ note, setNote, problem, isSending, onClose }}
      submit={() => void send({ input: { entryId: entry.id, note: note.trim() || null } })}
    >
      <Alert variant="light" icon={<IconFingerprint aria-hidden />}>
        <Text size="sm" ff="monospace">
          <Untrusted text={commandOrUrl(entry)} />
        </Text>
        <Text size="xs" mt={4}>
          Approved on all devices in exactly this form. Any change of it is reported as a finding.
        </Text>
      </Alert>
    </Form>
  );
}

interface ApprovalSubject {
  kind: ApprovalKind;
  value: string;
}

/** Approves a server by its package or host, in any version and with any settings. */
export function ApproveServer({
  name,
  subjects,
  onClose,
  onDone,
}: {
  name: string;
  subjects: readonly ApprovalSubject[];
  onClose(): void;
  onDone?(): void;
}) {
  const [chosen, choose] = useState(subjects[0].kind as string);
  const [note, setNote] = useState('');
  const { send, problem, isSending } = useChange(approveServers, {
    done,
    onDone: () => {
      onClose();
      onDone?.();
    },
  });
  const subject = subjects.find(({ kind }) => kind === chosen) ?? subjects[0];
  return (
    <Form
      title={`Approve ${visible(name)}?`}
      verb="Approve server"
      {...{ note, setNote, problem, isSending, onClose }}
      submit={() => void send({ input: { ...subject, note: note.trim() || null } })}
    >
      <Radio.Group label="Scope of the approval" value={chosen} onChange={choose}>
        <Stack gap={6} mt={6}>
          {subjects.map(({ kind, value }) => (
            <Radio
              key={kind}
              value={kind}
              label={
                <>
                  {kindNames[kind]}: <Untrusted text={value} />
                </>
              }
            />
          ))}
        </Stack>
      </Radio.Group>
    </Form>
  );
}

export const kindNames: Record<ApprovalKind, string> = {
  package: 'Package (any version)',
  host: 'Host (any address)',
  definition: 'Exact definition',
};

/** What a known server can be approved by. */
export const approvalSubjectsOf = ({ package: from, host }: Pick<EntryNode, 'package' | 'host'>): ApprovalSubject[] => [
  ...(from ? [{ kind: 'package' as const, value: packageName(from) }] : []),
  ...(host ? [{ kind: 'host' as const, value: host }] : []),
];

/** Adds an approval by hand, also for a server that is not known yet. */
export function AddApproval({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const [kind, setKind] = useState<ApprovalKind>('package');
  const [value, setValue] = useState('');
  const [note, setNote] = useState('');
  const { send, problem, isSending } = useChange(approveServers, {
    done,
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Form
      title="Add approval"
      verb="Add approval"
      isReady={Boolean(value.trim())}
      {...{ note, setNote, problem, isSending, onClose }}
      submit={() => void send({ input: { kind, value: value.trim(), note: note.trim() || null } })}
    >
      <Select
        label="Type"
        data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
        value={kind}
        allowDeselect={false}
        onChange={(chosen) => chosen && setKind(chosen as ApprovalKind)}
      />
      <TextInput
        label="Value"
        required
        placeholder={examples[kind]}
        maxLength={400}
        data-autofocus
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        error={faultOf(problem, 'value')}
      />
    </Form>
  );
}

const examples: Record<ApprovalKind, string> = {
  package: 'npm:@scope/name',
  host: 'tools.example.com or *.example.com',
  definition: 'SHA-256 hash of the definition',
};

interface FormProps {
  title: string;
  verb: string;
  note: string;
  setNote(note: string): void;
  problem: Problem | null;
  isSending: boolean;
  isReady?: boolean;
  submit(): void;
  onClose(): void;
  children: ReactNode;
}

const Form = ({
  title,
  verb,
  note,
  setNote,
  problem,
  isSending,
  isReady = true,
  submit,
  onClose,
  children,
}: FormProps) => (
  <Modal opened onClose={onClose} title={title}>
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        {children}
        <Textarea
          label="Purpose and reviewer"
          autosize
          minRows={2}
          maxLength={500}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending} disabled={!isReady}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  </Modal>
);
