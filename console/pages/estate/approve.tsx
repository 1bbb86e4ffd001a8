import { Alert, Button, Group, Modal, Radio, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { graphql, type VariablesOf } from '../../api/graphql.ts';
import type { Problem } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { type EntryNode, packageName, runs } from './definition.tsx';

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

const done = 'It is on the list; everything known is judged again by it.';

/** Exactly one definition: any change of it has to be approved again. */
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
      title={`Approve ${visible(entry.name)} as it is?`}
      verb="Approve this definition"
      {...{ note, setNote, problem, isSending, onClose }}
      submit={() => void send({ input: { entryId: entry.id, note: note.trim() || null } })}
    >
      <Alert variant="light" icon={<IconFingerprint aria-hidden />}>
        <Text size="sm" ff="monospace">
          <Untrusted text={runs(entry)} />
        </Text>
        <Text size="xs" mt={4}>
          Exactly this, on whatever device. Once it is changed, that is a finding.
        </Text>
      </Alert>
    </Form>
  );
}

interface Kind {
  kind: ApprovalKind;
  value: string;
}

/** A server by what it is made from: its package or its host, in whatever version and with whatever settings. */
export function ApproveServer({
  name,
  ways,
  onClose,
  onDone,
}: {
  name: string;
  ways: readonly Kind[];
  onClose(): void;
  onDone?(): void;
}) {
  const [chosen, choose] = useState(ways[0].kind as string);
  const [note, setNote] = useState('');
  const { send, problem, isSending } = useChange(approveServers, {
    done,
    onDone: () => {
      onClose();
      onDone?.();
    },
  });
  const way = ways.find(({ kind }) => kind === chosen) ?? ways[0];
  return (
    <Form
      title={`Approve ${visible(name)}?`}
      verb="Approve"
      {...{ note, setNote, problem, isSending, onClose }}
      submit={() => void send({ input: { ...way, note: note.trim() || null } })}
    >
      <Radio.Group label="What is approved" value={chosen} onChange={choose}>
        <Stack gap={6} mt={6}>
          {ways.map(({ kind, value }) => (
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
  package: 'Whatever is run from the package',
  host: 'Whatever is reached at the host',
  definition: 'Exactly one definition',
};

/** The ways to approve a server that is known. */
export const waysOf = ({ package: from, host }: Pick<EntryNode, 'package' | 'host'>): Kind[] => [
  ...(from ? [{ kind: 'package' as const, value: packageName(from) }] : []),
  ...(host ? [{ kind: 'host' as const, value: host }] : []),
];

/** Something that may not be known yet, typed by hand. */
export function ApproveAnything({ onClose, onDone }: { onClose(): void; onDone(): void }) {
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
      title="Approve a package or host"
      verb="Approve"
      isReady={Boolean(value.trim())}
      {...{ note, setNote, problem, isSending, onClose }}
      submit={() => void send({ input: { kind, value: value.trim(), note: note.trim() || null } })}
    >
      <Select
        label="What"
        data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
        value={kind}
        allowDeselect={false}
        onChange={(chosen) => chosen && setKind(chosen as ApprovalKind)}
      />
      <TextInput
        label="Which"
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
  host: 'tools.example.com, or *.example.com',
  definition: 'The hash of a definition',
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
          label="What it is for, and who looked at it"
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
